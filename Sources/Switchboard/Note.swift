public import PhoneContract
import Primitives
public import SIP
public import Store

/// What is worth a line in the log or a step of a counter. Nothing in it names a person.
public enum Note: Sendable, Equatable {
  case held(CallID)
  case refused(CallID)
  case unreachable(CallID)
  case fetched(CallID, after: Duration)
  case answered(CallID, after: Duration)
  case confirmed(CallID)
  case unacknowledged(CallID)
  case declined(CallID)
  case cancelled(CallID)
  case timedOut(CallID)
  case expired(CallID)
  case ended(CallID, EndReason, after: Duration)
  case callRejected(Rejection)
  case registration(AccountID, RegistrationStatus.State)
  case deregistered(AccountID)
  /// Another node had it until now.
  case taken(AccountID)
  case givenAway(AccountID)
  case adopted(CallID)

  /// Why an INVITE never became a call.
  public enum Rejection: String, Sendable, Equatable, CaseIterable {
    case unknownAccount = "unknown_account"
    case foreignAddress = "foreign_address"
    case badExtension = "bad_extension"
    case malformed
    case busy
    case merged
    case intervalTooSmall = "interval_too_small"
    case unsupportedBody = "unsupported_body"
    case overloaded
  }
}
