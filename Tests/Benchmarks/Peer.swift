import Foundation
import Network
import Primitives

/// Kamailio, with a reader of its events.
@LoopActor
enum Peer {
  private static let sip = "127.0.0.63:5070"
  private static let events = "127.0.0.63:8448"

  static func measure(_ rate: Int, _ seconds: Int) async throws -> Caller.Result {
    let workplace = try Workplace()
    let kamailio = try Program(
      Program.find("kamailio"),
      ["-f", Workplace.scenario("kamailio.cfg"), "-DD", "-E", "-m", "512", "-M", "32", "-w", workplace.folder],
      output: workplace.path("kamailio.log"))
    defer { kamailio.stop() }
    try await Task.sleep(for: .seconds(2))
    guard kamailio.isRunning, let address = SocketAddress(events) else {
      throw Trouble("Kamailio does not start: " + (try String(contentsOfFile: workplace.path("kamailio.log"), encoding: .utf8)))
    }
    let reader = try await Connector.connect(to: address)
    reader.onBytes = { _ in }
    defer { reader.abort() }
    let uris = (0..<rate * 5).map { "sip:account\($0)@\(sip)" }
    return try await Caller(target: sip, from: "127.0.0.64", uris: uris).run(kamailio.processID, rate, seconds)
  }
}
