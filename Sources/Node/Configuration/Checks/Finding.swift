/// One thing that a check found, in one line.
public struct Finding: Sendable, Equatable {
  public enum Severity: String, Sendable { case ok, warning, error }

  public let severity: Severity
  /// The key of the configuration, or the thing of the machine, that it is about.
  public let subject: String
  public let text: String

  static func ok(_ subject: String, _ text: String) -> Finding { Finding(severity: .ok, subject: subject, text: text) }
  static func warning(_ subject: String, _ text: String) -> Finding { Finding(severity: .warning, subject: subject, text: text) }
  static func error(_ subject: String, _ text: String) -> Finding { Finding(severity: .error, subject: subject, text: text) }

  /// A file that the configuration names and that cannot be read.
  static func unreadable(_ error: ConfigurationError) -> Finding {
    Finding(severity: .error, subject: error.place?.text ?? "configuration", text: error.text)
  }

  /// `warning  admin.listen: 192.0.2.1:9090 can be reached from outside`.
  public var line: String {
    severity.rawValue + String(repeating: " ", count: 9 - severity.rawValue.utf8.count) + "\(subject): \(text)"
  }
}
