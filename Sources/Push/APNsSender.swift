import Cryptography
import Endpoints
import HTTP
public import Network
public import Primitives

/// Sends announcements to Apple's push service. `APNsMachine` decides, this acts: one connection for each of Apple's environments, one
/// provider token for both.
@LoopActor
public final class APNsSender {
  public typealias Completion = @LoopActor (PushOutcome) -> Void

  private struct Job {
    let request: APNsRequest
    let completion: Completion
    /// While it is on its way.
    var call: HTTPClientCall?
    /// While it waits to be sent again.
    var timer: LoopTimer?
  }

  private var machine: APNsMachine
  private var random: SeededRandom
  private var jobs: [APNsMachine.Number: Job] = [:]
  private let token: ProviderToken
  private var jwt = ""
  private let production: any PushConnection
  private let development: any PushConnection
  /// Whether a push that waited may still leave; nil: always.
  public var maySend: (@LoopActor () -> Bool)?
  /// Itself, from `retire` until the last push is through.
  private var retired: APNsSender?

  init(token: ProviderToken, production: any PushConnection, development: any PushConnection, random: SeededRandom) {
    self.token = token
    self.production = production
    self.development = development
    self.random = random
    machine = APNsMachine(random: SeededRandom(from: &self.random))
  }

  /// Pushes sealed bytes to a device. `completion` is called once, within the 10 s that a push lives; with `overloaded` before this
  /// returns. The number is for `withdraw`.
  @discardableResult
  public func send(sealed: Bytes, to address: APNsAddress, completion: @escaping Completion) -> UInt64 {
    machine.clockShows(Loop.unixNow())
    let (number, actions) = machine.submitted(now: Loop.now())
    jobs[number] = Job(request: APNsRequest(sealed: sealed, to: address, random: &random), completion: completion)
    perform(actions)
    return number
  }

  /// A push that has not left yet does not leave any more: its completion says `unreachable`. Any other goes on.
  public func withdraw(_ number: UInt64) {
    guard let job = jobs[number], machine.isWaiting(number) || job.call?.withdraw() == true else { return }
    perform(machine.withdrawn(number))
  }

  /// To be called when there will be no more pushes: those under way come to their outcome, then the connections end.
  public func retire() {
    retired = self
    closeIfRetired()
  }

  private func closeIfRetired() {
    guard retired != nil, jobs.isEmpty else { return }
    production.close()
    development.close()
    retired = nil
  }

  /// Pushes that are under way.
  public var pending: Int { jobs.count }

  private func perform(_ actions: [APNsMachine.Action]) {
    for action in actions {
      switch action {
      case .useToken(let issuedAt): useToken(issuedAt)
      case .send(let number, let time): start(number, within: time)
      case .wake(let number, let at): wake(number, at: at)
      case .finish(let number, let outcome): finish(number, outcome)
      }
    }
  }

  private func start(_ number: APNsMachine.Number, within time: Duration) {
    guard let request = jobs[number]?.request else { return }
    let connection = request.address.environment == .production ? production : development
    let message = request.message(providerToken: jwt)
    let call = connection.send(message, timeout: time) { [weak self] in self?.done(number, $0) }
    jobs[number]?.call = call
  }

  private func done(_ number: APNsMachine.Number, _ result: Result<HTTPResponse, HTTPClientError>) {
    machine.clockShows(Loop.unixNow())
    switch result {
    case .success(let response): perform(machine.answered(number, APNsAnswer(response), now: Loop.now()))
    case .failure(let failure): perform(machine.failed(number, failure.mayBeSentAgain ? .notProcessed : .unknown, now: Loop.now()))
    }
  }

  private func wake(_ number: APNsMachine.Number, at moment: Instant) {
    jobs[number]?.timer = Loop.at(moment) { [weak self] in
      guard let self else { return }
      guard maySend?() != false else { return perform(machine.withdrawn(number)) }
      machine.clockShows(Loop.unixNow())
      perform(machine.delayOver(number, now: Loop.now()))
    }
  }

  private func finish(_ number: APNsMachine.Number, _ outcome: PushOutcome) {
    guard let job = jobs.removeValue(forKey: number) else { return }
    job.completion(outcome)
    closeIfRetired()
  }

  /// The key was tried when the sender was made; should it fail now, the service says what it thinks of the token before.
  private func useToken(_ issuedAt: Instant) {
    guard let new = try? token.jwt(issuedAt: issuedAt) else { return }
    jwt = new
  }
}
