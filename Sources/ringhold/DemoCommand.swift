import Demo
import Glibc

extension Command {
  static let demo = Command(name: "demo", summary: "plays one whole call on this machine and shows each step") { arguments in
    try arguments.refuseWords()
    let outcome = await Demo.run(hasColour: isatty(STDOUT_FILENO) == 1) { Terminal.say($0) }
    return outcome.hasHeld ? .success : .failed
  }
}
