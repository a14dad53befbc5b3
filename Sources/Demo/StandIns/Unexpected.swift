/// Something that was to happen did not, or something else did.
public struct Unexpected: Error, Sendable, CustomStringConvertible {
  public let expected: String
  public let came: String

  public init(expected: String, came: String) {
    self.expected = expected
    self.came = came
  }

  public var description: String { "expected \(expected), came \(came)" }
}
