import Node

/// One word after `ringhold`, and what it does.
struct Command: Sendable {
  let name: String
  /// One line for `ringhold help`.
  let summary: String
  var options: [Option] = []
  let run: @Sendable (Arguments) async throws -> ExitStatus

  /// In the order in which `ringhold help` shows them.
  static let all: [Command] = [.serve, .demo, .status, .check, .version, .help]

  /// The command that `words` begin with and what follows it.
  static func parse(_ words: [String]) throws(UsageError) -> (Command, Arguments) {
    guard let word = words.first else { throw UsageError("which command? 'ringhold help' lists them") }
    switch word {
    case "-h", "--help": return (.help, Arguments())
    case "--version": return (.version, Arguments())
    default: break
    }
    guard let command = all.first(where: { $0.name == word }) else {
      let question = Suggestion.question(for: word, among: all.map(\.name))
      throw UsageError("there is no command '\(word)'\(question.isEmpty ? "; 'ringhold help' lists them" : question)")
    }
    let rest = words.dropFirst()
    if rest.contains(where: { $0 == "-h" || $0 == "--help" }) { return (.help, Arguments(values: [:], rest: [command.name])) }
    return (command, try Arguments(rest, of: command))
  }
}

/// Why a command line was not understood, in one line.
struct UsageError: Error {
  let text: String
  init(_ text: String) { self.text = text }
}
