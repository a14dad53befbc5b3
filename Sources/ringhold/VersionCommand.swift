import Node

extension Command {
  static let version = Command(name: "version", summary: "says which version this is") { arguments in
    try arguments.refuseWords()
    Terminal.say("ringhold \(Version.text)")
    return .success
  }
}
