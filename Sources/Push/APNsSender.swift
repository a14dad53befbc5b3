import Cryptography
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
    var stream: (any PushStream)?
    var timer: LoopTimer?
  }

  private var machine: APNsMachine
  private var random: SeededRandom
  private var jobs: [APNsMachine.Number: Job] = [:]
  private let token: ProviderToken
  private var jwt = ""
  private let production: any PushConnection
  private let development: any PushConnection

  init(token: ProviderToken, production: any PushConnection, development: any PushConnection, random: SeededRandom) {
    self.token = token
    self.production = production
    self.development = development
    self.random = random
    machine = APNsMachine(random: SeededRandom(from: &self.random))
  }

  /// Pushes sealed bytes to a device. `completion` is called once, within the 10 s that a push lives; with `overloaded` before this
  /// returns.
  public func send(sealed: Bytes, to address: APNsAddress, completion: @escaping Completion) {
    let (number, actions) = machine.submitted(now: Loop.now())
    jobs[number] = Job(request: APNsRequest(sealed: sealed, to: address, random: &random), completion: completion)
    perform(actions)
  }

  /// Pushes that are under way.
  public var pending: Int { jobs.count }

  private func perform(_ actions: [APNsMachine.Action]) {
    for action in actions {
      switch action {
      case .renewToken: renewToken()
      case .send(let number): start(number)
      case .wake(let number, let at): wake(number, at: at)
      case .abandon(let number): jobs[number]?.stream?.abandon()
      case .finish(let number, let outcome): finish(number, outcome)
      }
    }
  }

  private func start(_ number: APNsMachine.Number) {
    guard let request = jobs[number]?.request else { return }
    let connection = request.address.environment == .production ? production : development
    let message = request.request(authority: connection.authority, providerToken: jwt)
    jobs[number]?.stream = connection.send(message) { [weak self] result in self?.done(number, result) }
  }

  private func done(_ number: APNsMachine.Number, _ result: Result<HTTPResponse, PushFailure>) {
    switch result {
    case .success(let response): perform(machine.answered(number, APNsAnswer(response), now: Loop.now()))
    case .failure(let failure): perform(machine.failed(number, failure, now: Loop.now()))
    }
  }

  private func wake(_ number: APNsMachine.Number, at moment: Instant) {
    jobs[number]?.timer?.cancel()
    jobs[number]?.timer = Loop.at(moment) { [weak self] in
      guard let self else { return }
      perform(machine.deadlineReached(number, now: Loop.now()))
    }
  }

  private func finish(_ number: APNsMachine.Number, _ outcome: PushOutcome) {
    guard let job = jobs.removeValue(forKey: number) else { return }
    job.timer?.cancel()
    job.completion(outcome)
  }

  /// The key was tried when the sender was made; should it fail now, the service says what it thinks of the token before.
  private func renewToken() {
    guard let new = try? token.jwt(issuedAt: Loop.unixNow()) else { return }
    jwt = new
  }
}
