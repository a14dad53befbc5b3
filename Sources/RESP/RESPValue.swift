public import Primitives

/// What Redis answers, in version 2 of its protocol: the one that it speaks to whoever does not ask for another (RESP3 has nothing
/// that is needed here, and the reader of Debian's hiredis does not know it).
public enum RESPValue: Sendable, Hashable {
  case status(Bytes)
  /// A word in capitals, such as `READONLY`, and a text.
  case error(Bytes)
  case integer(Int64)
  case bulk(Bytes)
  case null
  case array([RESPValue])

  /// The bytes of a bulk or status.
  public var bytes: Bytes? {
    switch self {
    case .bulk(let bytes), .status(let bytes): bytes
    default: nil
    }
  }

  public var number: Int64? {
    switch self {
    case .integer(let number): number
    case .bulk(let bytes): bytes.decimal(as: Int64.self)
    default: nil
    }
  }

  public var list: [RESPValue]? {
    guard case .array(let list) = self else { return nil }
    return list
  }

  /// The first word of an error.
  public var errorCode: String? {
    guard case .error(let text) = self else { return nil }
    return text.prefix { $0 != UInt8(ascii: " ") }.text
  }
}

/// How much an answer may be.
public struct RESPLimits: Sendable {
  /// Of one bulk, status or error.
  public var bulkBytes = 1 << 20
  /// Of all of them in one answer.
  public var answerBytes = 16 << 20
  /// Values in one answer, arrays included.
  public var values = 100_000
  /// Arrays in arrays. hiredis cannot read deeper than 7.
  public var depth = 5

  public init() {}
}

/// What came is no answer. The connection can only be ended.
public enum RESPError: Error, Hashable, Sendable {
  case malformed
  /// More than a limit.
  case tooLarge
}
