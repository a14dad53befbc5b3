import Node

/// An option of a command, such as `--config FILE`.
struct Option: Sendable {
  /// With its hyphens.
  let name: String
  /// What stands for the value in the help; nil for an option without one.
  let value: String?
  let summary: String
  /// Whether the command does nothing without it.
  var isRequired = false

  /// With what stands for its value.
  var usage: String { [name, value].compactMap(\.self).joined(separator: " ") }
}

/// What followed a command.
struct Arguments: Sendable {
  private var values: [String: String] = [:]
  /// The words that are no options.
  private(set) var rest: [String] = []

  init(values: [String: String] = [:], rest: [String] = []) {
    self.values = values
    self.rest = rest
  }

  /// Takes `--name value`, `--name=value`, and after `--` words only.
  init(_ words: some Collection<String>, of command: Command) throws(UsageError) {
    var words = Array(words)[...]
    while let word = words.popFirst(), word != "--" {
      if word.hasPrefix("-"), word != "-" { try take(word, &words, command) } else { rest.append(word) }
    }
    rest += words
    if let missing = command.options.first(where: { $0.isRequired && values[$0.name] == nil }) {
      throw UsageError("'\(command.name)' needs \(missing.usage): \(missing.summary)")
    }
  }

  private mutating func take(_ word: String, _ words: inout ArraySlice<String>, _ command: Command) throws(UsageError) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let option = command.options.first(where: { $0.name == parts[0] }) else {
      let question = Suggestion.question(for: parts[0], among: command.options.map(\.name))
      throw UsageError("'\(command.name)' has no option '\(parts[0])'\(question)")
    }
    guard values[option.name] == nil else { throw UsageError("\(option.name) is there twice") }
    values[option.name] = try value(of: option, inline: parts.count == 2 ? parts[1] : nil, &words)
  }

  private func value(of option: Option, inline: String?, _ words: inout ArraySlice<String>) throws(UsageError) -> String {
    guard let name = option.value else {
      guard inline == nil else { throw UsageError("\(option.name) takes no value") }
      return ""
    }
    guard let value = inline ?? words.popFirst(), !value.isEmpty else { throw UsageError("\(option.name) needs \(name)") }
    return value
  }

  subscript(option: Option) -> String? { values[option.name] }

  func has(_ option: Option) -> Bool { values[option.name] != nil }

  /// For a command that takes at most `count` words.
  func refuseWords(beyond count: Int = 0) throws(UsageError) {
    if rest.count > count { throw UsageError("'\(rest[count])' is one word too many") }
  }
}
