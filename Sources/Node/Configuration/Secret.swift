/// Text that no `description`, `dump` or interpolation shows.
public struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The text itself, for the one place that needs it.
  public let revealed: String

  init(_ text: String) { revealed = text }

  public var description: String { "(secret)" }
  public var debugDescription: String { "(secret)" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
