public import Primitives

/// What a line of the log may say beside its message. There is no case for text that is made at run time: so no number,
/// name, token, credential or SDP can get into the log, whatever the caller of `Log` does.
public enum LogField: Sendable {
  case call(CallTag)
  case account(AccountTag)
  /// A status of SIP or HTTP.
  case status(Int)
  case reason(StaticString)
  /// A word of the program under a name of the program.
  case word(StaticString, StaticString)
  case number(StaticString, Int)
  case duration(StaticString, Duration)
  /// An address that the node itself listens on or sends from; never a peer's.
  case local(SocketAddress)

  var name: StaticString {
    switch self {
    case .call: "call"
    case .account: "account"
    case .status: "status"
    case .reason: "reason"
    case .word(let name, _), .number(let name, _), .duration(let name, _): name
    case .local: "local"
    }
  }

  /// Durations are milliseconds with three decimals.
  var value: LogValue {
    switch self {
    case .call(let tag): .word(tag.description)
    case .account(let tag): .word(tag.description)
    case .status(let status): .number(String(status))
    case .reason(let word), .word(_, let word): .word(word.description)
    case .number(_, let number): .number(String(number))
    case .duration(_, let duration): .number(Self.milliseconds(duration))
    case .local(let address): .word(address.text)
    }
  }

  private static func milliseconds(_ duration: Duration) -> String {
    Duration.nanoseconds(duration.nanoseconds / 1000 * 1_000_000).secondsText
  }
}

/// JSON tells words and numbers apart.
enum LogValue: Equatable {
  case word(String)
  case number(String)
}
