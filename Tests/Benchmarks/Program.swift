import Foundation

/// A program that runs beside us until we end it.
///
/// Not Foundation's `Process`: what that starts inherits the signals that our threads block, and then nothing ends Kamailio.
final class Program {
  let processID: pid_t
  private var hasExited = false
  private var exitStatus: Int32?

  /// - Parameter output: a file for all that it says; nil for nowhere.
  init(_ path: String, _ arguments: [String], output: String? = nil) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, output ?? "/dev/null", O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0o600)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
    var attributes = Self.freshSignals()
    var words = ([path] + arguments).map { strdup($0) } + [nil]
    var started: pid_t = 0
    let status = posix_spawn(&started, path, &actions, &attributes, &words, environ)
    for word in words { free(word) }
    posix_spawnattr_destroy(&attributes)
    posix_spawn_file_actions_destroy(&actions)
    guard status == 0 else { throw Trouble("\(path) cannot be started") }
    processID = started
  }

  deinit { stop() }

  private static func freshSignals() -> posix_spawnattr_t {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    return attributes
  }

  var isRunning: Bool {
    var status: Int32 = 0
    if !hasExited, waitpid(processID, &status, WNOHANG) != 0 {
      hasExited = true
      if status & 0x7f == 0 { exitStatus = status >> 8 & 0xff }
    }
    return !hasExited
  }

  /// Asks it to end; after ten seconds it has no choice.
  func stop() {
    for _ in 0..<100 where isRunning {
      send(SIGTERM, to: processID)
      usleep(100_000)
    }
    kill()
  }

  /// At once, and without a word to it: `kill -9`.
  func kill() {
    guard isRunning else { return }
    send(SIGKILL, to: processID)
    waitpid(processID, nil, 0)
    hasExited = true
  }

  /// Its exit status; nil where a signal ended it. After half a minute it has no choice.
  func untilItEnds() async throws -> Int32? {
    for _ in 0..<3000 where isRunning { try await Task.sleep(for: .milliseconds(10)) }
    kill()
    return exitStatus
  }

  /// `name` as the shell would find it.
  static func find(_ name: String) throws -> String {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init) + ["/usr/sbin"]
    guard let found = folders.map({ "\($0)/\(name)" }).first(where: FileManager.default.isExecutableFile(atPath:)) else {
      throw Trouble("\(name) is not installed: ops/setup test installs it")
    }
    return found
  }

  /// What was built beside this program.
  static func beside(_ name: String) -> String {
    URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent().appending(path: name).path
  }
}

private func send(_ signal: Int32, to process: pid_t) { kill(process, signal) }
