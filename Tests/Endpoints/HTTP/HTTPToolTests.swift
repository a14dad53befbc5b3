import Endpoints
import Foundation
import HTTP
import Network
import Primitives
import TestKit
import Testing

/// The server against clients of other people.
@LoopActor
@Suite(.serialized) struct HTTPToolTests {
  private func curl(_ server: HTTPTestServer, _ arguments: [String], path: String = "/x?y=z") async throws -> Program.Outcome {
    let certificate = try server.certificateFile()
    defer { try? FileManager.default.removeItem(atPath: certificate) }
    return try await Program.run(
      "/usr/bin/curl", ["-sS", "-i", "--max-time", "20", "--cacert", certificate] + arguments + [server.url + path])
  }

  @Test(arguments: [("--http2", "HTTP/2 200"), ("--http1.1", "HTTP/1.1 200 OK")])
  func curlGets(_ option: String, _ statusLine: String) async throws {
    let server = try HTTPTestServer()
    let run = try await curl(server, [option])
    #expect(run.status == 0)
    #expect(run.output.hasPrefix(statusLine))
    #expect(run.output.contains("\r\ndate: "))
    #expect(run.output.hasSuffix("\r\n\r\nGET /x?y=z 0"))
    await server.server.stop(within: .seconds(1))
  }

  @Test(arguments: ["--http2", "--http1.1"]) func curlPosts(_ option: String) async throws {
    let server = try HTTPTestServer()
    let body = String(repeating: "x", count: 60_000)
    #expect(try await curl(server, [option, "-d", body]).output.hasSuffix("POST /x?y=z 60000"))
    #expect(try await curl(server, [option, "-d", body, "-H", "Expect: 100-continue"]).output.hasSuffix("POST /x?y=z 60000"))
    #expect(try await curl(server, [option, "-d", body, "-H", "Transfer-Encoding: chunked"]).output.hasSuffix("POST /x?y=z 60000"))
    #expect(try await curl(server, [option, "--head"]).output.contains("content-length: 13\r\n"))
    await server.server.stop(within: .seconds(1))
  }

  @Test(arguments: ["--http2", "--http1.1"]) func curlLearnsThatItIsTooMuch(_ option: String) async throws {
    let server = try HTTPTestServer()
    let run = try await curl(server, [option, "-d", String(repeating: "x", count: 100_000)])
    #expect(run.output.contains(" 413"), "\(run.output)")
    #expect(try await curl(server, [option]).status == 0)
    await server.server.stop(within: .seconds(1))
  }

  @Test func curlSpeaksPlainHTTP() async throws {
    let server = try HTTPTestServer(isTLS: false)
    #expect(try await curl(server, []).output.hasPrefix("HTTP/1.1 200 OK"))
    await server.server.stop(within: .seconds(1))
  }

  @Test(arguments: ["--http2", "--http1.1"]) func curlReadsAStream(_ option: String) async throws {
    let server = try HTTPTestServer { _, exchange in
      exchange.sendHeaders(HTTPResponse(status: 200, fields: ["content-type": "text/event-stream"]))
      exchange.sendData(Array("data: 1\n\n".utf8))
      Loop.after(.milliseconds(20)) {
        exchange.sendData(Array("data: 2\n\n".utf8))
        exchange.end()
      }
    }
    #expect(try await curl(server, [option]).output.hasSuffix("data: 1\n\ndata: 2\n\n"))
    await server.server.stop(within: .seconds(1))
  }

  @Test func nghttpSendsManyAtOnce() async throws {
    let server = try HTTPTestServer()
    let run = try await Program.run("/usr/bin/nghttp", ["-n", "-m", "50", "-t", "10", server.url + "/many"])
    #expect(run.status == 0)
    #expect(server.seen.paths.filter { $0 == "/many" }.count == 50)
    await server.server.stop(within: .seconds(1))
  }
}
