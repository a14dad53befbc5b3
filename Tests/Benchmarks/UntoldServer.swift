import Foundation
import Network
import Node
import Telemetry

/// A server that is `ringhold serve` but for one thing: devices count as told, and nothing is sealed or pushed. The difference to the
/// real one is what HPKE and push cost.
@LoopActor
enum UntoldServer {
  nonisolated static let command = "serve-untold"

  static func run(_ file: String) async throws {
    let configuration = try Configuration.load(file: file, environment: [:])
    let server = try Server(configuration, log: .standardError(level: .info), tellsDevices: false)
    await withCheckedContinuation { (stop: CheckedContinuation<Void, Never>) in
      try? Loop.onSignal(SIGTERM) { stop.resume() }
    }
    await server.stop()
  }
}
