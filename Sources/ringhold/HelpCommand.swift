import Node

extension Command {
  static let help = Command(name: "help", summary: "says what the commands are, or what one of them takes") { arguments in
    try arguments.refuseWords(beyond: 1)
    guard let name = arguments.rest.first else {
      Terminal.say(overview)
      return .success
    }
    guard let command = all.first(where: { $0.name == name }) else {
      throw UsageError("there is no command '\(name)'\(Suggestion.question(for: name, among: all.map(\.name)))")
    }
    Terminal.say(command.page)
    return .success
  }

  private static var overview: String {
    let width = all.map(\.name.count).max() ?? 0
    let lines = all.map { "  \($0.name.padded(to: width))  \($0.summary)" }
    return (["usage: ringhold COMMAND [options]", ""] + lines + ["", "'ringhold help COMMAND' says more about one of them."])
      .joined(separator: "\n")
  }

  private var page: String {
    let names = options.map { [$0.name, $0.value].compactMap { $0 }.joined(separator: " ") }
    let width = names.map(\.count).max() ?? 0
    let lines = zip(options, names).map { "  \($1.padded(to: width))  \($0.summary)" }
    let usage = (["usage: ringhold \(name)"] + names.map { "[\($0)]" }).joined(separator: " ")
    return ([usage, "", summary] + (lines.isEmpty ? [] : [""] + lines)).joined(separator: "\n")
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(width - count, 0)) }
}
