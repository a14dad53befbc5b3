import Network
import Primitives
import SIP

/// Keeps what the status page shows: the rates of the last minutes, and where to ask for the rest.
@LoopActor
final class StatusBoard {
  /// What a node shows as a plot.
  enum Rate: String, CaseIterable, Sendable {
    case callsHeld = "calls held"
    case callsAnswered = "calls answered"
    case pushes
    case phoneRequests = "phone requests"
    case registrations = "registrations"
    case sipMessages = "SIP messages"
  }

  /// What the node is at this moment.
  struct Reading {
    var load: (accounts: Int, held: Int, answered: Int)
    var registrations: [RegistrationStatus.State: Int]
  }

  static let interval: Duration = .seconds(2)
  /// Five minutes.
  private static let intervals = 150
  private static let states: [RegistrationStatus.State] = [.registered, .registering, .unreachable, .credentialsNeeded, .rejected]

  /// What is known of the peers, in a cluster.
  var cluster: (@LoopActor () -> ClusterStatus?)?
  private let node: String
  private let reading: @LoopActor () -> Reading
  private let totals: @LoopActor () -> [Rate: Int]
  private let start = Loop.now()
  private var history = RateHistory<Rate>(limit: intervals)
  private var timer: LoopTimer?

  init(node: String, reading: @escaping @LoopActor () -> Reading, totals: @escaping @LoopActor () -> [Rate: Int]) {
    self.node = node
    self.reading = reading
    self.totals = totals
    sample(at: start)
  }

  func stop() { timer?.cancel() }

  /// Counted from the sample before, so that a late one shifts nothing.
  private func sample(at moment: Instant) {
    history.sample(totals())
    let next = max(moment + Self.interval, Loop.now())
    timer = Loop.at(next) { [weak self] in self?.sample(at: next) }
  }

  func report(isReady: Bool) -> StatusReport {
    let now = reading()
    return StatusReport(
      node: node, version: "\(Version.text)", uptime: Int(start.duration(to: Loop.now()).components.seconds), isReady: isReady,
      accounts: now.load.accounts, held: now.load.held, answered: now.load.answered,
      registrations: Self.states.map { .init(state: "\($0.word)", accounts: now.registrations[$0] ?? 0) },
      interval: Int(Self.interval.components.seconds), rates: Rate.allCases.map { .init(name: $0.rawValue, counts: history[$0]) },
      cluster: cluster?() ?? nil)
  }
}
