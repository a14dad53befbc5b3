public import Network
public import Primitives
import SIP

/// One call of the provider to a registered user, seen by the caller.
@LoopActor
public final class ProviderCall {
  public enum Side: Sendable, Hashable { case provider, phone }

  public enum Event: Sendable, Hashable {
    case provisional(Int)
    case answered
    case refused(Int)
    /// Nobody answered, or could be reached.
    case failed
    case ended(by: Side)
  }

  public let callID: Bytes
  /// The SDP of the 200; empty for none, or before it.
  public private(set) var remoteSDP = Bytes()
  let localSDP: Bytes?
  /// What goes into the ACK where the INVITE had no SDP.
  let lateSDP: Bytes?
  let invite: Request
  private(set) var transaction: ClientTransactionID
  private let journal = Journal<Event>()
  let line: ProviderLine
  private var dialog: Dialog?
  private var isCancelled = false
  private var bye: ClientTransactionID?

  init(_ invite: Request, sdp: Bytes?, lateSDP: Bytes?, over line: ProviderLine) {
    self.invite = invite
    self.localSDP = sdp
    self.lateSDP = lateSDP
    self.line = line
    callID = (try? Array(invite.callID)) ?? []
    transaction = line.send(invite)
  }

  /// All that happened so far.
  public var events: [Event] { journal.entries }

  // MARK: Waiting

  /// 100.
  public func trying(within limit: Duration = .seconds(5)) async throws(Unexpected) {
    try await reached(.provisional(100), "100 Trying", limit)
  }

  /// 180.
  public func ringing(within limit: Duration = .seconds(5)) async throws(Unexpected) {
    try await reached(.provisional(180), "180 Ringing", limit)
  }

  /// 200, which has been acknowledged. Gives its SDP.
  @discardableResult
  public func answer(within limit: Duration = .seconds(5)) async throws(Unexpected) -> Bytes {
    try await reached(.answered, "200 OK", limit)
    return remoteSDP
  }

  /// The status of the final response.
  public func final(within limit: Duration = .seconds(5)) async throws(Unexpected) -> Int {
    switch try await journal.first("a final response", within: limit, where: { $0.isOutcome }) {
    case .refused(let status): return status
    case .answered: return 200
    case let other: throw Unexpected(expected: "a final response", came: other.description)
    }
  }

  /// The BYE of either side, answered. Gives whose it was.
  public func ended(within limit: Duration = .seconds(5)) async throws(Unexpected) -> Side {
    let event = try await journal.first("BYE", within: limit) { if case .ended = $0 { true } else { $0.isFailure } }
    guard case .ended(let side) = event else { throw Unexpected(expected: "BYE", came: event.description) }
    return side
  }

  private func reached(_ wanted: Event, _ name: String, _ limit: Duration) async throws(Unexpected) {
    let event = try await journal.first(name, within: limit) { $0 == wanted || $0.isOutcome }
    guard event == wanted else { throw Unexpected(expected: name, came: event.description) }
  }

  // MARK: Acting

  /// The caller gives up. Before the first provisional response the CANCEL waits for it (RFC 3261 §9.1).
  public func cancel() {
    guard !journal.entries.contains(where: \.isOutcome) else { return }
    isCancelled = true
    line.cancel(transaction)
  }

  /// The caller hangs up.
  public func hangUp() {
    guard bye == nil, let request = dialog?.request(.bye) else { return }
    bye = line.send(request)
  }

  // MARK: What comes

  func received(_ response: Response, in id: ClientTransactionID) {
    if id == bye, response.status >= 200 { return journal.add(.ended(by: .provider)) }
    guard id == transaction else { return }
    switch response.status {
    case ..<200:
      journal.add(.provisional(response.status))
      if isCancelled { line.cancel(transaction) }
    case ..<300: answered(response)
    default: journal.add(.refused(response.status))
    }
  }

  func failed(_ id: ClientTransactionID) { if id == transaction || id == bye { journal.add(.failed) } }

  /// The 2xx came, or came again because the ACK was lost.
  private func answered(_ response: Response) {
    let isFirst = dialog == nil
    if isFirst { dialog = try? Dialog(of: invite, answeredBy: response) }
    guard let dialog, let number = try? invite.cseq.number else { return journal.add(.failed) }
    line.send(
      dialog.ack(cseq: number, body: lateSDP ?? []) { builder in
        if lateSDP != nil { builder.append(.contentType, "application/sdp") }
      })
    guard isFirst else { return }
    remoteSDP = Array(response.message.body)
    journal.add(.answered)
    // The CANCEL came too late: §9.1 leaves the BYE.
    if isCancelled { hangUp() }
  }

  /// A request of the other side. nil where it is not of this call's dialog.
  func received(_ request: Request) -> Response? {
    guard let dialog, let id = try? Dialog.ID(of: request), id == dialog.id else { return nil }
    guard (try? self.dialog?.received(request)) == .accept else { return .make(to: request, status: 500, toTag: nil) }
    switch request.method {
    case .bye:
      journal.add(.ended(by: .phone))
      return .make(to: request, status: 200, toTag: nil)
    case .invite, .update: return accept(request)
    case .info, .options: return .make(to: request, status: 200, toTag: nil)
    default: return .make(to: request, status: 405, toTag: nil)
    }
  }

  /// A new offer gets the description that the caller has always had.
  private func accept(_ request: Request) -> Response {
    let sdp = request.method == .update && request.message.body.isEmpty ? [] : localSDP ?? lateSDP ?? []
    return .make(to: request, status: 200, toTag: nil, body: sdp) { builder in
      builder.append(.contact, line.contact)
      if !sdp.isEmpty { builder.append(.contentType, "application/sdp") }
    }
  }
}

extension ProviderCall.Event: CustomStringConvertible {
  public var description: String {
    switch self {
    case .provisional(let status), .refused(let status): "\(status)"
    case .answered: "200"
    case .failed: "no answer"
    case .ended(by: .phone): "BYE from the phone"
    case .ended(by: .provider): "BYE from the caller"
    }
  }

  /// After it no other final response counts.
  var isOutcome: Bool {
    switch self {
    case .answered, .refused, .failed: true
    case .provisional, .ended: false
    }
  }

  var isFailure: Bool {
    switch self {
    case .refused, .failed: true
    case .provisional, .answered, .ended: false
    }
  }
}
