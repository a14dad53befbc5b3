import Endpoints
import Foundation
import HTTP
import Network
import Primitives
import SIP
import TestKit
import Testing

@testable import Node

/// An admin address whose node is made up.
@LoopActor
private final class AdminStage {
  let service: AdminService
  let server: HTTPServer
  private let board: StatusBoard

  init(cluster: ClusterStatus?) throws {
    board = StatusBoard(
      node: "a", reading: { .init(load: (accounts: 4711, held: 12, answered: 34), registrations: [.registered: 4700, .unreachable: 11]) },
      totals: { [.callsHeld: 7] })
    if let cluster { board.cluster = { cluster } }
    let service = AdminService(metrics: { Array("up 1\n".utf8) }, status: board)
    self.service = service
    server = try HTTPServer(listen: SocketAddress(ip: .loopbackIPv4, port: 0), tls: nil) { $1.respond(service.handle($0)) }
  }

  var url: String { "http://\(server.local?.text ?? "")" }

  func ask(_ path: String, _ method: String = "GET") -> HTTPResponse {
    service.handle(HTTPRequest(method: method, authority: "x", path: path))
  }

  func close() async {
    board.stop()
    await server.stop(within: .zero)
  }
}

@LoopActor
@Test func theAdminAddressHasItsPages() async throws {
  let stage = try AdminStage(cluster: nil)
  #expect(stage.ask("/readyz").status == 503)
  stage.service.isReady = { true }
  #expect(stage.ask("/readyz").status == 200)
  #expect(stage.ask("/healthz").body.text == "ok\n")
  #expect(stage.ask("/metrics").body.text == "up 1\n")
  #expect(stage.ask("/").fields["content-type"] == "text/html; charset=utf-8")
  #expect(stage.ask("/elsewhere").status == 404)
  #expect(stage.ask("/", "POST").status == 405)
  await stage.close()
}

/// A page that needs something from elsewhere would be empty where it is most needed.
@LoopActor
@Test func thePageNeedsNothingFromElsewhere() async throws {
  let stage = try AdminStage(cluster: nil)
  let page = stage.ask("/").body.text
  for word in ["src=", "http://", "https://", "@import", "url("] {
    let places = page.components(separatedBy: word).count - 1
    // The name of SVG looks like an address and is none.
    #expect(places == (word == "http://" ? 1 : 0), "\(word)")
  }
  await stage.close()
}

@LoopActor
@Test func aNodeIsAskedOverItsAdminAddress() async throws {
  let stage = try AdminStage(cluster: StatusReport.ofThree.cluster)
  let report = try await StatusQuery.report(of: stage.url)
  #expect(report.accounts == 4711 && report.held == 12 && report.answered == 34)
  #expect(report.registrations.first == .init(state: "registered", accounts: 4700))
  #expect(report.cluster == StatusReport.ofThree.cluster)
  #expect(report.rates.map(\.name).contains("calls held"))
  let url = stage.url
  await stage.close()
  await #expect(throws: StatusQuery.Failure.noAnswer) { try await StatusQuery.report(of: url) }
  await #expect(throws: StatusQuery.Failure.address) { try await StatusQuery.report(of: "https://127.0.0.1") }
}

/// In a real browser: what people look at.
@LoopActor
@Test(.enabled(if: Browser.isInstalled, "chromium is not installed"), .timeLimit(.minutes(2)))
func aBrowserShowsThePage() async throws {
  let stage = try AdminStage(cluster: StatusReport.ofThree.cluster)
  stage.service.isReady = { true }
  let url = stage.url
  let page = try await Browser.show(url)
  for text in ["4711", "registered 4700", "unreachable 11", "calls ringing", "10.0.0.21:6379", "cannot be reached", "2800 ms", "<polyline"]
  {
    #expect(page.contains(text), "\(text)")
  }
  #expect(page.contains(#"class="badge">ready<"#))
  #expect(page.contains(#"role="alert" hidden"#))
  await stage.close()
}
