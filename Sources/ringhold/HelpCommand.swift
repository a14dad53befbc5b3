import Node

extension Command {
  static let help = Command(name: "help", summary: "says what the commands are, or what one of them takes") { arguments in
    try arguments.refuseWords(beyond: 2)
    guard !arguments.rest.isEmpty else {
      Terminal.say(overview)
      return .success
    }
    var command: Command?
    for word in arguments.rest { command = try named(word, in: command) }
    if let command { Terminal.say(command.page) }
    return .success
  }

  private static var overview: String {
    page(["usage: ringhold COMMAND [options]", ""] + list(all) + ["", "'ringhold help COMMAND' says more about one of them."])
  }

  private var page: String {
    guard commands.isEmpty else {
      return Self.page(["usage: ringhold \(name) COMMAND [options]", "", summary, ""] + Self.list(commands) + paragraphs)
    }
    return Self.page([usage, "", summary] + (options.isEmpty ? [] : [""] + table(options.map { ($0.usage, $0.summary) })) + paragraphs)
  }

  /// Options that have to be there, and the others while they are few.
  private var usage: String {
    let others = options.filter { !$0.isRequired }
    let required = options.filter(\.isRequired).map(\.usage)
    return (["usage: ringhold \(name)"] + required + (others.count > 3 ? ["[options]"] : others.map { "[\($0.usage)]" }))
      .joined(separator: " ")
  }

  private var paragraphs: [String] { remarks.flatMap { ["", $0] } }

  private static func list(_ commands: [Command]) -> [String] { table(commands.map { ($0.name, $0.summary) }) }

  private static func page(_ lines: [String]) -> String { lines.joined(separator: "\n") }
}

private func table(_ rows: [(String, String)]) -> [String] {
  let width = rows.map(\.0.count).max() ?? 0
  return rows.map { "  \($0.padded(to: width))  \($1)" }
}

extension String {
  fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(width - count, 0)) }
}
