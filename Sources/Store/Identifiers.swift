public import Primitives

/// One SIP account at a provider. Sixteen bytes that a keyed hash made of it: they tell nothing without the key.
public struct AccountID: Hashable, Sendable, CustomStringConvertible {
  private let number: UInt128

  /// nil unless there are 16.
  public init?(bytes: Bytes) {
    guard bytes.count == 16 else { return nil }
    number = bytes.reduce(0) { $0 << 8 | UInt128($1) }
  }

  /// Most significant first.
  public var bytes: Bytes { (1...16).map { UInt8(truncatingIfNeeded: number >> UInt128(8 * (16 - $0))) } }

  public var description: String { Hex.encode(bytes) }
}

/// One device: the RFC 7638 thumbprint of its signing key, 43 characters of base64url.
public struct DeviceID: Hashable, Sendable, CustomStringConvertible {
  public let text: String

  public init?(_ text: String) {
    guard text.utf8.count == 43, Base64.urlSafe.decode(text)?.count == 32 else { return nil }
    self.text = text
  }

  public var description: String { text }
}

/// One call, for as long as it lives: what its lines in the log have in common. Random, so that it tells nothing.
public struct CallID: Hashable, Sendable, CustomStringConvertible {
  public let number: UInt64

  public init(number: UInt64) { self.number = number }

  public init(from random: inout some RandomNumberGenerator) { number = random.next() }

  /// 13 letters and digits of the alphabet of RFC 4648 §6 in lower case.
  public var description: String {
    (0..<13).reversed().map { String(Self.alphabet[Int(number >> (UInt64($0) * 5) & 31)]) }.joined()
  }

  private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567")
}

/// Counts the writes of the store: no two writes have the same one.
public struct Version: Hashable, Sendable {
  public let number: UInt64

  public init(number: UInt64) { self.number = number }
}

extension AccountID: Comparable {
  public static func < (left: AccountID, right: AccountID) -> Bool { left.number < right.number }
}

extension DeviceID: Comparable {
  public static func < (left: DeviceID, right: DeviceID) -> Bool { left.text < right.text }
}

extension CallID: Comparable {
  public static func < (left: CallID, right: CallID) -> Bool { left.number < right.number }
}
