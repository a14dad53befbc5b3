import FoundationEssentials
import Glibc
import Network
import Primitives

/// The account's password. Never from the command line: other users of the machine see that.
enum PhonePassword {
  static let variable = "RINGHOLD_PASSWORD"

  /// From the variable, or typed without being shown.
  static func read() async throws -> String {
    if let password = ProcessInfo.processInfo.environment[variable] {
      guard !password.isEmpty else { throw UsageError("\(variable) is empty") }
      return password
    }
    return try await ask()
  }

  @LoopActor private static func ask() async throws -> String {
    let terminal = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC)
    guard terminal >= 0 else { throw UsageError("no password: \(variable) is not set, and there is no terminal to ask on") }
    Terminal.ask("password: ")
    let line = HiddenLine()
    let typed = try await line.read(from: terminal)
    Terminal.ask("\n")
    guard let typed, !typed.isEmpty else { throw UsageError("no password was typed") }
    return typed.text
  }
}

/// A line that is typed without being shown.
@LoopActor
private final class HiddenLine {
  private static let limit = 1024

  private var typed = Bytes()
  private var waiting: CheckedContinuation<Bytes?, Never>?

  /// nil where the user gave up, or nobody is there.
  func read(from terminal: Int32) async throws(NetworkError) -> Bytes? {
    let keys = try KeyInput(of: terminal) { [self] in took($0) }
    defer { keys.close() }
    return await withCheckedContinuation { waiting = $0 }
  }

  private func took(_ keys: Slice) {
    if keys.isEmpty { return finish(nil) }
    for key in keys {
      switch key {
      case 3, 4: return finish(nil)
      case 10, 13: return finish(typed)
      case 8, 127: eraseCharacter()
      default: if typed.count < Self.limit { typed.append(key) }
      }
    }
  }

  /// All bytes of it (RFC 3629 §3).
  private func eraseCharacter() {
    while let last = typed.popLast(), last & 0xC0 == 0x80 {}
  }

  private func finish(_ line: Bytes?) {
    waiting?.resume(returning: line)
    waiting = nil
  }
}
