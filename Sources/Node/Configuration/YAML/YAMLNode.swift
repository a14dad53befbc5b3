/// A value of a YAML document and the line on which it starts, counted from 1.
struct YAMLNode: Equatable {
  indirect enum Content: Equatable {
    /// A plain scalar is one without quotes: only such a one can be a number, a truth value or null.
    case scalar(String, isPlain: Bool)
    case list([YAMLNode])
    case mapping([YAMLEntry])
  }

  var content: Content
  var line: Int

  /// The null of YAML's core schema: nothing, `~` or `null` without quotes.
  var isNull: Bool {
    guard case .scalar(let text, isPlain: true) = content else { return false }
    return ["", "~", "null"].contains(text)
  }
}

/// A key and its value; `line` is the key's.
struct YAMLEntry: Equatable {
  var key: String
  var line: Int
  var value: YAMLNode
}

/// Why a document was not taken, without naming the file.
struct YAMLError: Error, Equatable {
  var line: Int
  var text: String
}
