import Cluster
import Endpoints
import HTTP
import Network
import PhoneContract
import Primitives
import Store
import Switchboard

/// Which node answers a phone: the call's home, or the account's owner, wherever the request came in. Where that node dies meanwhile the
/// request goes to its successor: the phone sees a slow answer, not an error.
@LoopActor
final class PhoneRouter {
  /// As long as a takeover may take, and a little more.
  static let patience = Duration.seconds(12)
  static let pause = Duration.milliseconds(200)

  private let store: any StoreClient
  private let cluster: ClusterDriver

  init(store: any StoreClient, cluster: ClusterDriver) {
    self.store = store
    self.cluster = cluster
  }

  /// One request on its way.
  final class Errand {
    let request: PhoneRequest
    let forwarded: ForwardedRequest
    let deadline: Instant
    /// Answers it here; nil: it cannot be answered here.
    let here: @LoopActor (Errand) -> Void
    let answer: HTTPAnswer
    var isGivenUp = false
    var giveUp: (@LoopActor () -> Void)?

    init(
      _ request: PhoneRequest, _ forwarded: ForwardedRequest, deadline: Instant, here: @escaping @LoopActor (Errand) -> Void,
      answer: @escaping HTTPAnswer
    ) {
      self.request = request
      self.forwarded = forwarded
      self.deadline = deadline
      self.here = here
      self.answer = answer
    }
  }

  func route(_ errand: Errand) {
    store.perform(.whereabouts(errand.forwarded.account)) { [self] reply in
      guard !errand.isGivenUp else { return }
      switch reply {
      case .whereabouts(let found): go(errand, to: target(errand, found))
      case .noAccount where errand.request.isSetUp: go(errand, to: cluster.rightfulOwner(of: errand.forwarded.account))
      case .noAccount: errand.answer(Problem(.notSetUp).response)
      // The store is away: what this node owns it serves.
      default: cluster.isOwner(of: errand.forwarded.account) ? errand.here(errand) : later(errand)
      }
    }
  }

  private func target(_ errand: Errand, _ found: Whereabouts) -> NodeID? {
    let owner = found.owner?.holder.node ?? cluster.rightfulOwner(of: errand.forwarded.account)
    return errand.request.home(in: found, device: errand.forwarded.device) ?? owner
  }

  private func go(_ errand: Errand, to target: NodeID?) {
    guard let target else { return later(errand) }
    guard target != cluster.node else { return errand.here(errand) }
    guard let links = cluster.links else { return later(errand) }
    let call = links.forward(errand.forwarded, to: target, within: errand.request.longest) { [self] result in
      switch result {
      case .success(let response) where response.status == 503: later(errand)
      case .success(let response): errand.answer(response)
      case .failure(.unknown): errand.answer(Problem.unavailable(retryAfter: 1).response)
      case .failure: later(errand)
      }
    }
    errand.giveUp = { call.abandon() }
  }

  /// Nobody can answer it now; soon somebody will.
  func later(_ errand: Errand) {
    guard !errand.isGivenUp else { return }
    guard Loop.now() < errand.deadline else { return errand.answer(Problem.unavailable(retryAfter: 2).response) }
    _ = Loop.after(Self.pause) { [weak self] in self?.route(errand) }
  }
}

extension PhoneRequest {
  var isSetUp: Bool { if case .setUp = self { true } else { false } }

  /// The home of the call that the request is about; nil: of none.
  func home(in found: Whereabouts, device: DeviceID) -> NodeID? {
    switch self {
    case .fetch, .decline, .shown: found.calls.first { $0.isHeld }?.home.node
    case .answer(let line, _, _), .confirm(let line), .status(let line, _, _), .offer(let line, _), .answerOffer(let line, _, _),
      .refuseOffer(let line, _), .dtmf(let line, _, _), .hangUp(let line):
      // The line of a call that is over is free; the word about its end is where the call was.
      (found.calls.first { $0.lines.contains(Whereabouts.Line(device: device, number: line.rawValue)) } ?? found.calls.last)?.home.node
    case .probe, .setUp, .setUpState, .setPush, .removeSetUp, .removeDevice, .home: nil
    }
  }

  /// A peer that takes longer is given up.
  var longest: Duration {
    switch self {
    case .status(_, _, let wait): .seconds(wait + 5)
    case .answer, .confirm: .seconds(40)
    default: .seconds(15)
    }
  }
}
