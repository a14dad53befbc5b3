import Cryptography
import Primitives
import Testing
import TestKit

@testable import Network

@LoopActor
@Suite struct TLSTests {
  private func contexts(alpn: [String] = []) throws -> (server: TLSContext, client: TLSContext) {
    let (certificate, key) = try SelfSignedCertificate.make(names: ["sip.example.org"], addresses: [])
    return (
      try .server(certificatePEM: certificate, keyPEM: key, alpn: alpn), try .client(trust: .pem(certificate), alpn: alpn)
    )
  }

  @Test func bytesComeBack() async throws {
    let (server, client) = try contexts(alpn: ["h2"])
    let listener = try TCPListener(bind: anyPort, tls: server) { stream in
      stream.onBytes = { [weak stream] in stream?.write(Array($0)) }
    }
    let stream = try await Connector.connect(to: listener.local, tls: (client, ServerIdentity(host: "sip.example.org")))
    #expect(stream.alpn == "h2")
    let content = Bytes(repeating: 9, count: 200_000)
    let got = Once<Bytes>()
    var received = Bytes()
    stream.onBytes = {
      received += $0
      if received.count == content.count { got.came(received) }
    }
    stream.write(content)
    #expect(await got.wait() == content)
    let ended = Once<StreamEnd>()
    stream.onEnd = { ended.came($0) }
    stream.close()
    #expect(await ended.wait() == .closedHere)
    listener.close()
  }

  @Test func anotherNameIsRefused() async throws {
    let (server, client) = try contexts()
    let listener = try TCPListener(bind: anyPort, tls: server) { _ in }
    await #expect(throws: NetworkError.tls(.certificate(.wrongName))) {
      try await Connector.connect(to: listener.local, tls: (client, ServerIdentity(host: "sip.example.com")))
    }
    listener.close()
  }

  @Test func whoSaysNothingIsGoneAfterTheHandshakeLimit() async throws {
    let (server, _) = try contexts()
    var limits = ListenerLimits()
    limits.stream.handshake = .milliseconds(50)
    limits.stream.closing = .milliseconds(50)
    let listener = try TCPListener(bind: anyPort, tls: server, limits: limits) { _ in Issue.record("no handshake was made") }
    let stream = try await Connector.connect(to: listener.local)
    let ended = Once<StreamEnd>()
    stream.onBytes = { _ in }
    stream.onEnd = { ended.came($0) }
    #expect(await ended.wait() == .closedByPeer)
    #expect(listener.connections == 0)
    listener.close()
  }

  @Test func garbageEndsTheConnection() async throws {
    let (server, _) = try contexts()
    let listener = try TCPListener(bind: anyPort, tls: server) { _ in Issue.record("no handshake was made") }
    let stream = try await Connector.connect(to: listener.local)
    let ended = Once<StreamEnd>()
    stream.onBytes = { _ in }
    stream.onEnd = { ended.came($0) }
    stream.write(Array("REGISTER sip:example.org SIP/2.0\r\n\r\n".utf8))
    #expect(await ended.wait() == .closedByPeer)
    listener.close()
  }

  @Test func aServerThatNeverAnswersTimesOut() async throws {
    let (_, client) = try contexts()
    let listener = try TCPListener(bind: anyPort) { $0.onBytes = { _ in } }
    await #expect(throws: NetworkError.timedOut) {
      try await Connector.connect(
        to: listener.local, tls: (client, ServerIdentity(host: "sip.example.org")), timeout: .milliseconds(50))
    }
    listener.close()
  }

  @Test func whatComesWithTheHandshakeIsKeptUntilSomebodyReads() async throws {
    let (server, client) = try contexts()
    let listener = try TCPListener(bind: anyPort, tls: server) { $0.write(Array("early".utf8)) }
    let stream = try await Connector.connect(to: listener.local, tls: (client, ServerIdentity(host: "sip.example.org")))
    _ = await Once<Bool>().wait(.milliseconds(20))
    let got = Once<String>()
    stream.onBytes = { got.came($0.text) }
    #expect(await got.wait() == "early")
    stream.abort()
    listener.close()
  }
}
