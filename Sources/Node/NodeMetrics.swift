import Endpoints
import Network
import PhoneContract
import Primitives
import Push
import SIP
import Store
import Switchboard
import Telemetry

/// What a node counts.
@LoopActor
final class NodeMetrics {
  enum CallEnd: String, MetricLabel {
    static let labelName: StaticString = "outcome"
    case answered, declined, cancelled, refused, unreachable, timedOut = "timed_out", unacknowledged
  }

  enum Takeover: String, MetricLabel {
    static let labelName: StaticString = "kind"
    case account, call
  }

  enum PushKind: String, MetricLabel {
    static let labelName: StaticString = "kind"
    case announcement, stop
  }

  enum PushEnd: String, MetricLabel {
    static let labelName: StaticString = "outcome"
    case accepted, tokenGone = "token_gone", throttled, configuration, request, unreachable, unknown, overloaded

    init(_ outcome: PushOutcome) {
      switch outcome {
      case .accepted: self = .accepted
      case .tokenGone: self = .tokenGone
      case .refused(.throttled): self = .throttled
      case .refused(.configuration): self = .configuration
      case .refused(.request): self = .request
      case .unreachable: self = .unreachable
      case .unknown: self = .unknown
      case .overloaded: self = .overloaded
      }
    }
  }

  enum Registered: String, MetricLabel {
    static let labelName: StaticString = "state"
    case registering, registered, credentialsNeeded = "credentials_needed", rejected, unreachable

    init(_ state: RegistrationStatus.State) {
      switch state {
      case .registering: self = .registering
      case .registered: self = .registered
      case .credentialsNeeded: self = .credentialsNeeded
      case .rejected: self = .rejected
      case .unreachable: self = .unreachable
      }
    }
  }

  enum StatusClass: String, MetricLabel {
    static let labelName: StaticString = "class"
    case success = "2xx", client = "4xx", server = "5xx"

    init(_ status: Int) { self = status < 400 ? .success : status < 500 ? .client : .server }
  }

  enum SIPEvent: String, MetricLabel {
    static let labelName: StaticString = "event"
    case message, refused, dropped, scanner, overRate = "over_rate", slow, noPong = "no_pong", undeliverable

    func count(in counters: SIPCounters) -> Int {
      switch self {
      case .message: counters.messages
      case .refused: counters.refused
      case .dropped: counters.dropped
      case .scanner: counters.scanners
      case .overRate: counters.overRate
      case .slow: counters.slow
      case .noPong: counters.noPong
      case .undeliverable: counters.undeliverable
      }
    }
  }

  let registry = Metrics()
  private let invites: Counter
  private let rejections: Labelled<RejectionLabel, Counter>
  private let ends: Labelled<CallEnd, Counter>
  private let registrations: Labelled<Registered, Counter>
  private let pushes: Labelled<PushEnd, Counter>
  private let pushTime: Labelled<PushKind, Histogram>
  private let fetchTime: Histogram
  private let answerTime: Histogram
  private let takeovers: Labelled<Takeover, Counter>
  private let requests: Labelled<StatusClass, Counter>
  private let refusedRequests: Counter
  private let accounts: Gauge
  private let held: Gauge
  private let talking: Gauge
  private let sip: Labelled<SIPEvent, Counter>

  init() {
    invites = registry.counter("ringhold_calls_held_total", "Calls that were held.")
    rejections = registry.counter(
      "ringhold_calls_rejected_total", "INVITEs that never became a held call.", by: RejectionLabel.self)
    ends = registry.counter("ringhold_held_calls_ended_total", "How the ringing of held calls ended.", by: CallEnd.self)
    registrations = registry.counter(
      "ringhold_registration_changes_total", "Registrations that came into a state.", by: Registered.self)
    pushes = registry.counter("ringhold_pushes_total", "Announcements and stops given to a push service.", by: PushEnd.self)
    pushTime = registry.histogram(
      "ringhold_push_duration_seconds", "From the decision to push until the push service's word.", by: PushKind.self)
    fetchTime = registry.histogram("ringhold_fetch_delay_seconds", "From the INVITE to the fetch.", bounds: Self.people)
    answerTime = registry.histogram("ringhold_answer_delay_seconds", "From the INVITE to the answer.", bounds: Self.people)
    takeovers = registry.counter("ringhold_takeovers_total", "Accounts and calls that came from other nodes.", by: Takeover.self)
    requests = registry.counter("ringhold_phone_requests_total", "Requests of phones by class of the answer.", by: StatusClass.self)
    refusedRequests = registry.counter("ringhold_http_refused_total", "What came over HTTP and never became a request.")
    accounts = registry.gauge("ringhold_accounts", "Accounts that this node keeps registered.")
    held = registry.gauge("ringhold_held_calls", "Calls that ring.")
    talking = registry.gauge("ringhold_answered_calls", "Calls that are answered.")
    sip = registry.counter("ringhold_sip_received_total", "What came over SIP, by what became of it.", by: SIPEvent.self)
    registry.info("ringhold_build_info", "The version of this program.", [("version", Version.text)])
    registry.process(ProcessUse.ofThisProcess)
  }

  /// What a person takes to answer.
  private static let people: [Duration] = [0.1, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 180].map { .seconds($0) }

  func phoneAnswered(_ status: Int) { requests[StatusClass(status)].increment() }
  func httpRefused() { refusedRequests.increment() }

  func pushed(_ kind: PushKind, _ outcome: PushOutcome, after duration: Duration) {
    pushes[PushEnd(outcome)].increment()
    pushTime[kind].observe(duration)
  }

  func count(_ note: Note) {
    switch note {
    case .held: invites.increment()
    case .fetched(_, let delay): fetchTime.observe(delay)
    case .answered(_, let delay):
      answerTime.observe(delay)
      ends[.answered].increment()
    case .declined: ends[.declined].increment()
    case .cancelled: ends[.cancelled].increment()
    case .refused: ends[.refused].increment()
    case .unreachable: ends[.unreachable].increment()
    case .timedOut: ends[.timedOut].increment()
    case .unacknowledged: ends[.unacknowledged].increment()
    case .callRejected(let why): rejections[RejectionLabel(why)].increment()
    case .registration(_, let state): registrations[Registered(state)].increment()
    case .taken: takeovers[.account].increment()
    case .adopted: takeovers[.call].increment()
    case .confirmed, .expired, .ended, .deregistered, .givenAway: break
    }
  }

  /// What has happened since the start, for the rates of the status page.
  func totals(_ counters: SIPCounters) -> [StatusBoard.Rate: Int] {
    [
      .callsHeld: invites.value, .callsAnswered: ends[.answered].value, .pushes: Self.sum(pushes), .phoneRequests: Self.sum(requests),
      .registrations: registrations[.registered].value, .sipMessages: counters.messages,
    ]
  }

  private static func sum<Label: MetricLabel>(_ counters: Labelled<Label, Counter>) -> Int {
    Label.allCases.reduce(0) { $0 + counters[$1].value }
  }

  /// The page as it is at this moment.
  func page(_ load: (accounts: Int, held: Int, answered: Int), _ counters: SIPCounters) -> Bytes {
    for event in SIPEvent.allCases { sip[event].reach(event.count(in: counters)) }
    accounts.set(load.accounts)
    held.set(load.held)
    talking.set(load.answered)
    return registry.page()
  }
}

/// The switchboard's word, as a label.
enum RejectionLabel: String, MetricLabel {
  static let labelName: StaticString = "reason"
  case unknownAccount = "unknown_account", foreignAddress = "foreign_address", badExtension = "bad_extension", malformed, busy, merged
  case intervalTooSmall = "interval_too_small", unsupportedBody = "unsupported_body", overloaded

  init(_ why: Note.Rejection) { self = RejectionLabel(rawValue: why.rawValue) ?? .malformed }
}
