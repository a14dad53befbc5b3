import Glibc
import Network
import Node
import Telemetry

extension Command {
  static let serve = Command(
    name: "serve", summary: "runs a node until SIGTERM or SIGINT; SIGHUP reads certificates and push keys again", options: [.config]
  ) { arguments in
    try arguments.refuseWords()
    Secrecy.keepMemoryFromDumps()
    guard let configuration = arguments.configuration() else { return .configuration }
    let findings = Checks.unserved(configuration)
    for finding in findings + [Checks.admin(configuration)] where finding.severity != .ok { Terminal.complain(finding.line) }
    guard !findings.contains(where: { $0.severity == .error }) else { return .configuration }
    do {
      try await serve(configuration, again: { arguments.configuration() })
      return .success
    } catch let error as StartError {
      Terminal.complain(error.description)
      return .configuration
    }
  }

  @LoopActor private static func serve(_ configuration: Configuration, again: @escaping @LoopActor () -> Configuration?) async throws {
    let log = Log.standardError(level: configuration.log.telemetryLevel, format: configuration.log.telemetryFormat)
    let server = try Server(configuration, log: log)
    try Loop.onSignal(SIGHUP) { if let changed = again() { server.reload(changed) } }
    let refusal = await untilItEnds(server)
    await server.stop()
    if let refusal { throw refusal }
  }

  /// SIGTERM or SIGINT, or what keeps it from beginning, whichever comes first.
  @LoopActor private static func untilItEnds(_ server: Server) async -> StartError? {
    await withCheckedContinuation { continuation in
      var waiting: CheckedContinuation<StartError?, Never>? = continuation
      let end: @LoopActor (StartError?) -> Void = {
        waiting?.resume(returning: $0)
        waiting = nil
      }
      server.onRefused = { end($0) }
      for signal in [SIGTERM, SIGINT] { try? Loop.onSignal(signal) { end(nil) } }
    }
  }
}

extension Configuration.Log {
  fileprivate var telemetryLevel: Log.Level { Log.Level(rawValue: level.rawValue) ?? .info }
  fileprivate var telemetryFormat: Log.Format { Log.Format(rawValue: format.rawValue) ?? .text }
}
