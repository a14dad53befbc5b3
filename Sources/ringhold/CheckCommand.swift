import Node

extension Command {
  static let check = Command(
    name: "check", summary: "says what is wrong with configuration, certificates, keys, names and clock",
    options: [.config]
  ) { arguments in
    try arguments.refuseWords()
    Secrecy.keepMemoryFromDumps()
    guard let configuration = arguments.configuration() else { return .configuration }
    let findings = await Checks(configuration, tools: .system(configuration)).run()
    for finding in findings { Terminal.say(finding.line) }
    let (warnings, errors) = (findings.count { $0.severity == .warning }, findings.count { $0.severity == .error })
    Terminal.say("errors: \(errors), warnings: \(warnings)")
    return errors == 0 ? .success : .configuration
  }
}
