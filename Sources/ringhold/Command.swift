import Node

/// One word after `ringhold`, or two, and what they do.
struct Command: Sendable {
  /// As it is typed.
  let name: String
  /// One line for `ringhold help`.
  let summary: String
  var options: [Option] = []
  /// What the user should know beside the options.
  var remarks: [String] = []
  /// The commands that begin with this one's word. One that has them does nothing by itself.
  var commands: [Command] = []
  let run: @Sendable (Arguments) async throws -> ExitStatus

  /// In the order in which `ringhold help` shows them.
  static let all: [Command] = [.serve, .demo, .check, .nodeStatus, .phone, .cluster, .version, .help]

  /// A word that only begins other commands.
  static func group(_ name: String, summary: String, remarks: [String] = [], commands: [Command]) -> Command {
    Command(name: name, summary: summary, remarks: remarks, commands: commands) { _ in .usage }
  }

  /// The last word of its name.
  private var word: String { name.split(separator: " ").last.map(String.init) ?? name }

  /// The command that `words` begin with and what follows it.
  static func parse(_ words: [String]) throws(UsageError) -> (Command, Arguments) {
    if words.first == "--version" { return (.version, Arguments()) }
    var (found, left): (Command?, ArraySlice<String>) = (nil, words[...])
    while found?.commands.isEmpty != true {
      guard let word = left.popFirst() else { throw UsageError("which command? '\(helpLine(found))' lists them") }
      if isHelp(word) { return (.help, Arguments(rest: found?.words ?? [])) }
      found = try named(word, in: found)
    }
    guard let command = found else { return (.help, Arguments()) }
    if left.contains(where: isHelp) { return (.help, Arguments(rest: command.words)) }
    return (command, try Arguments(left, of: command))
  }

  /// One of the commands that begin with `group`'s word, or of all where that is nil.
  static func named(_ word: String, in group: Command?) throws(UsageError) -> Command {
    let commands = group?.commands ?? all
    if let command = commands.first(where: { $0.word == word }) { return command }
    let question = Suggestion.question(for: word, among: commands.map(\.word))
    let name = (group?.words ?? []) + [word]
    throw UsageError(
      "there is no command '\(name.joined(separator: " "))'\(question.isEmpty ? "; '\(helpLine(group))' lists them" : question)")
  }

  private var words: [String] { name.split(separator: " ").map(String.init) }

  private static func isHelp(_ word: String) -> Bool { word == "-h" || word == "--help" }

  private static func helpLine(_ group: Command?) -> String { (["ringhold help"] + (group?.words ?? [])).joined(separator: " ") }
}

/// Why a command line was not understood, in one line.
struct UsageError: Error {
  let text: String
  init(_ text: String) { self.text = text }
}
