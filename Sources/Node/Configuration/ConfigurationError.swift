/// Why a configuration was not taken: one line that names where, what and, where it can, how it would be right.
public struct ConfigurationError: Error, Equatable, CustomStringConvertible {
  /// nil where the text says it itself.
  let place: ConfigurationPlace?
  let text: String

  init(at place: ConfigurationPlace? = nil, _ text: String) {
    self.place = place
    self.text = text
  }

  public var description: String { [place?.text, text].compactMap { $0 }.joined(separator: ": ") }
}

/// Where a value was given, for a person to find it.
struct ConfigurationPlace: Hashable, Sendable {
  /// `ringhold.yaml:12: https.listen`, or `RINGHOLD_HTTPS_LISTEN`.
  let text: String

  init(file: String, line: Int, key: String) { text = key.isEmpty ? "\(file):\(line)" : "\(file):\(line): \(key)" }

  init(variable: String) { text = variable }
}

extension String {
  /// As it may stand in an error: in quotes, on one line, not endless.
  var quotedForError: String {
    let short = unicodeScalars.prefix(60).map { $0.value < 0x20 || $0.value == 0x7F ? "?" : String($0) }.joined()
    return "'\(short)\(unicodeScalars.count > 60 ? "…" : "")'"
  }
}
