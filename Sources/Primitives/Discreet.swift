/// A value that holds secrets or personal data: whatever prints it, dumps it or interpolates it into a text sees its type and
/// `shown`, nothing of its members.
public protocol Discreet: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// What may be shown, such as an identifier that tells nothing; empty for nothing at all.
  var shown: String { get }
}

extension Discreet {
  public var shown: String { "" }
  public var description: String { shown.isEmpty ? "\(Self.self)" : "\(Self.self)(\(shown))" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
