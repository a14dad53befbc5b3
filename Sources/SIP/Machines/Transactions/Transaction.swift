import Primitives

/// What the layer needs to know of each machine.
protocol TransactionMachine: Sendable, Equatable {
  /// When `deadlineReached` wants to be called; nil while only others can move the machine on.
  var deadline: Instant? { get }
  var isTerminated: Bool { get }
}

/// One transaction of either kind: of an INVITE or of another request.
enum Transaction<Invite: TransactionMachine, Other: TransactionMachine>: TransactionMachine {
  case invite(Invite)
  case other(Other)

  var deadline: Instant? {
    switch self {
    case .invite(let machine): machine.deadline
    case .other(let machine): machine.deadline
    }
  }

  var isTerminated: Bool {
    switch self {
    case .invite(let machine): machine.isTerminated
    case .other(let machine): machine.isTerminated
    }
  }
}
