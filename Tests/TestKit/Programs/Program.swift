import Foundation
public import Network
import Primitives

/// A real program, started by a test and ended by it. What it prints goes to a file: no pipe that nobody reads holds it up.
@LoopActor
public final class Program {
  private let process = Process()
  private let ended = Once<Int32>()
  private let folder: TemporaryFolder
  private let printed: String
  public let name: String

  /// Starts it at once. It is told to end when this process ends, in whatever way.
  /// - Parameters:
  ///   - path: an absolute one.
  ///   - environment: in the place of ours; nil: ours.
  public init(_ path: String, _ arguments: [String], environment: [String: String]? = nil, input: String? = nil) throws {
    name = String(path.split(separator: "/").last ?? "")
    folder = try TemporaryFolder()
    printed = try folder.write("printed", "")
    // `setpriv` becomes the program; the system sends the signal when the thread that started it is gone, which is the loop's.
    process.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
    process.arguments = ["--pdeathsig", "TERM", "--", path] + arguments
    if let environment { process.environment = environment }
    process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
    let out = FileHandle(forWritingAtPath: printed)
    process.standardOutput = out
    process.standardError = out
    process.standardInput = try input.map { FileHandle(forReadingAtPath: try folder.write("input", $0)) ?? .nullDevice } ?? .nullDevice
    let ended = ended
    process.terminationHandler = { process in
      let status = process.terminationStatus
      Task { @LoopActor in ended.came(status) }
    }
    try Self.withoutBlockedSignals { try process.run() }
  }

  /// What this thread blocks the program would block too, SIGTERM among it.
  private static func withoutBlockedSignals(_ body: () throws -> Void) rethrows {
    var (none, ours) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &ours)
    defer { pthread_sigmask(SIG_SETMASK, &ours, nil) }
    try body()
  }

  public var isRunning: Bool { process.isRunning }

  public var id: Int32 { process.processIdentifier }

  /// All that it has printed, on standard output and standard error, as it came.
  public var output: String { String(decoding: FileManager.default.contents(atPath: printed) ?? Data(), as: UTF8.self) }

  /// How it ended; nil where it did not in time.
  public func exit(within limit: Duration = .seconds(30)) async -> Int32? { await ended.wait(limit) }

  /// Tells it to end, and makes it end where it does not, with all that it has started. It is told more than once: a program that just
  /// starts may miss it.
  @discardableResult
  public func stop(within limit: Duration = .seconds(10)) async -> Int32? {
    let end = Loop.now() + limit
    // It is the first of a process group of its own.
    defer { kill(-id, SIGKILL) }
    while process.isRunning, Loop.now() < end {
      kill(id, SIGTERM)
      if let status = await ended.wait(.seconds(1)) { return status }
    }
    if process.isRunning { kill(id, SIGKILL) }
    return await ended.wait(limit)
  }

  /// Waits for a line that has `text` in it. False: it has ended without, or the time is over.
  public func prints(_ text: String, within limit: Duration = .seconds(10)) async -> Bool {
    let process = process
    let isThere = await eventually(within: limit, { (output.contains(text), process.isRunning) }, until: { $0.0 || !$0.1 })
    return isThere.0 || output.contains(text)
  }

  /// Runs a program to its end.
  public static func run(
    _ path: String, _ arguments: [String], environment: [String: String]? = nil, input: String? = nil, within limit: Duration = .seconds(30)
  ) async throws -> Outcome {
    let program = try Program(path, arguments, environment: environment, input: input)
    let status = await program.exit(within: limit)
    if status == nil { await program.stop() }
    return Outcome(status: status, output: program.output)
  }

  public struct Outcome: Sendable {
    /// nil: it had to be ended.
    public let status: Int32?
    public let output: String
  }
}

extension Program {
  /// The products of the package lie beside the tests.
  nonisolated public static let ringhold = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    .deletingLastPathComponent().appending(path: "ringhold").path
}
