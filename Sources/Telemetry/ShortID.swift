import Primitives

/// The short random id by which one call can be followed through the log. It is drawn for the log alone: nothing that a
/// peer sends goes into it, so it says nothing about who called whom.
public struct CallTag: Hashable, Sendable, CustomStringConvertible {
  private let number: UInt32

  public init(random: UInt32) { number = random }

  public var description: String { Hex.encode(number.bigEndianBytes) }
}

/// The start of an account's id, which is a keyed hash: enough to find the account's lines in one log, too short and too
/// keyed to find the account.
public struct AccountTag: Hashable, Sendable, CustomStringConvertible {
  private let number: UInt32

  public init(prefix: UInt32) { number = prefix }

  public var description: String { Hex.encode(number.bigEndianBytes) }
}

extension UInt32 {
  fileprivate var bigEndianBytes: Bytes { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: self >> $0) } }
}
