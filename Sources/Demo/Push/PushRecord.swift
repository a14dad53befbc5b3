public import Primitives

/// One request that the push service has seen: everything that it learns of a call.
public struct PushRecord: Sendable, Hashable, CustomStringConvertible {
  public let at: Instant
  /// The device token of the path.
  public let token: String
  public let topic: String
  /// `apns-id`.
  public let id: String
  public let body: Bytes
  /// What `ringhold` in the body held; nil where there was none.
  public let sealed: Bytes?
  /// The answer.
  public let status: Int
  public let reason: String?

  public var description: String { reason.map { "\(status) \($0)" } ?? "\(status)" }
}
