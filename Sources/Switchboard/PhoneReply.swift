public import PhoneContract
public import Primitives

/// A request of a phone that has not been answered yet. The shell gives the number and knows the connection.
public struct PhoneRequestID: Sendable, Hashable {
  public let number: UInt64
  public init(_ number: UInt64) { self.number = number }
}

/// What a phone is answered. The shell writes it as HTTP.
public enum PhoneReply: Sendable, Equatable, Discreet {
  case problem(Problem)
  /// 204
  case done
  case fetched(FetchReply)
  case answered(AnswerReply)
  /// 202: the answer is kept until it is confirmed.
  case kept
  case status(StatusReply)
  case state(SetUpState)
  case probed(ProbeReply)

  static func problem(_ name: Problem.Name) -> PhoneReply { .problem(Problem(name)) }

  /// Whether a device that got it has acted.
  public var isSuccess: Bool {
    if case .problem = self { false } else { true }
  }
}
