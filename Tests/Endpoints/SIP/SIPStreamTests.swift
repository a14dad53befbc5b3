import Network
import Primitives
import SIP
import Testing
import TestKit

@testable import Endpoints

/// Peers that do on a connection or by datagram what they should not.
@LoopActor
@Suite struct SIPStreamTests {
  /// A connection to the server, what it says, and its end.
  private func connect(_ peers: SIPPeers) async throws -> (stream: any ByteStream, said: Once<String>, ended: Once<StreamEnd>) {
    let stream = try await Connector.connect(to: peers.hop(.tcp).target.address)
    let said = Once<String>()
    let ended = Once<StreamEnd>()
    stream.onBytes = { said.came($0.text) }
    stream.onEnd = { ended.came($0) }
    return (stream, said, ended)
  }

  private func whole(_ branch: String = "z9hG4bKx") -> Bytes {
    request().inserting(.via, Bytes("SIP/2.0/TCP 127.0.0.1:9;rport;branch=\(branch)".utf8)).message.raw
  }

  @Test func halfAMessageIsNotWaitedForLong() async throws {
    let peers = try SIPPeers { $0.partialMessage = .milliseconds(50) }
    let (stream, _, ended) = try await connect(peers)
    stream.write(Array(whole().prefix(60)))
    // More bytes buy no more time.
    Loop.after(.milliseconds(25)) { stream.write(Bytes("X".utf8)) }
    #expect(await ended.wait() != nil)
    #expect(peers.server.counters.slow == 1)
    peers.close()
  }

  @Test func whoSaysNothingIsGone() async throws {
    let peers = try SIPPeers { $0.firstMessage = .milliseconds(50) }
    let (_, _, ended) = try await connect(peers)
    #expect(await ended.wait() != nil)
    #expect(peers.server.counters.slow == 1)
    peers.close()
  }

  @Test func aMessageInPiecesIsAMessage() async throws {
    let peers = try SIPPeers()
    peers.answer(200)
    let (stream, said, _) = try await connect(peers)
    let bytes = whole()
    for start in stride(from: 0, to: bytes.count, by: 40) {
      stream.write(Array(bytes[start..<min(start + 40, bytes.count)]))
      _ = await Once<Bool>().wait(.milliseconds(1))
    }
    #expect(await said.wait()?.hasPrefix("SIP/2.0 200 OK\r\n") == true)
    peers.close()
  }

  @Test func garbageEndsTheConnectionAndNothingElse() async throws {
    let peers = try SIPPeers()
    peers.answer(200)
    let (stream, _, ended) = try await connect(peers)
    stream.write(Bytes("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
    #expect(await ended.wait() == .closedByPeer)
    #expect(peers.server.counters.dropped == 1)
    let (next, said, _) = try await connect(peers)
    next.write(whole())
    #expect(await said.wait()?.hasPrefix("SIP/2.0 200 ") == true)
    peers.close()
  }

  @Test func aMalformedRequestIsAnswered() async throws {
    let peers = try SIPPeers()
    peers.answer(200)
    let (stream, said, _) = try await connect(peers)
    let text = whole().text.replacing("CSeq: 1 OPTIONS", with: "CSeq: 1 INVITE")
    stream.write(Bytes(text.utf8))
    let answer = try #require(await said.wait())
    #expect(answer.hasPrefix("SIP/2.0 400 Bad Request\r\n"))
    #expect(answer.contains(";received=127.0.0.1;rport="))
    #expect(peers.server.counters.refused == 1)
    peers.close()
  }

  @Test func pingsAreAnswered() async throws {
    let peers = try SIPPeers()
    let (stream, said, _) = try await connect(peers)
    stream.write(Bytes("\r\n\r\n".utf8))
    #expect(await said.wait() == "\r\n")
    peers.close()
  }

  @Test(arguments: [Transport.tcp, .tls])
  func aPongKeepsTheFlow(_ transport: Transport) async throws {
    let peers = try SIPPeers()
    let ended = Once<Flow>()
    peers.client.onFlowEnded = { ended.came($0) }
    let flow = peers.client.flow(to: peers.hop(transport))
    peers.client.keepAlive(flow, every: .milliseconds(20), awaitsPong: true)
    #expect(await ended.wait(.milliseconds(150)) == nil)
    peers.close()
  }

  /// Also where no message comes between two of them.
  @Test func everyPongCounts() async throws {
    let polite = try TCPListener(bind: anyPort) { stream in stream.onBytes = { _ in stream.write([13, 10]) } }
    var settings = SIPSettings()
    settings.pong = .seconds(1)
    let client = try SIPEndpoint(settings, resolver: try Resolver(), seed: 1)
    let ended = Once<Flow>()
    client.onFlowEnded = { ended.came($0) }
    client.keepAlive(client.flow(to: SIPHop(Target(transport: .tcp, address: polite.local))), every: .milliseconds(20), awaitsPong: true)
    #expect(await ended.wait(.milliseconds(1600)) == nil)
    #expect(client.counters.noPong == 0)
    client.close()
    polite.close()
  }

  @Test func noPongEndsTheFlow() async throws {
    let silent = try TCPListener(bind: anyPort) { $0.onBytes = { _ in } }
    var settings = SIPSettings()
    settings.pong = .milliseconds(30)
    let client = try SIPEndpoint(settings, resolver: try Resolver(), seed: 1)
    let ended = Once<Flow>()
    client.onFlowEnded = { ended.came($0) }
    let flow = client.flow(to: SIPHop(Target(transport: .tcp, address: silent.local)))
    client.keepAlive(flow, every: .milliseconds(20), awaitsPong: true)
    #expect(await ended.wait() == flow)
    #expect(client.counters.noPong == 1)
    client.close()
    silent.close()
  }

  // MARK: Datagrams

  private func exchange(_ datagram: Bytes, _ peers: SIPPeers, wait: Duration = .seconds(10)) async throws -> String? {
    let said = Once<String>()
    let socket = try UDPSocket(bind: anyPort) { datagram, _ in said.came(datagram.text) }
    socket.send(datagram, to: peers.hop(.udp).target.address)
    let answer = await said.wait(wait)
    socket.close()
    return answer
  }

  @Test func scannersGetSilence() async throws {
    let peers = try SIPPeers()
    peers.answer(200)
    let scan = Bytes(whole().text.replacing("Max-Forwards", with: "User-Agent: friendly-scanner\r\nMax-Forwards").utf8)
    #expect(try await exchange(scan, peers, wait: .milliseconds(50)) == nil)
    #expect(peers.server.counters.scanners == 1)
    peers.close()
  }

  @Test func whatIsNoSIPGetsSilence() async throws {
    let peers = try SIPPeers()
    #expect(try await exchange(Bytes(repeating: 0xFF, count: 900), peers, wait: .milliseconds(50)) == nil)
    #expect(try await exchange(Bytes("\r\n\r\n".utf8), peers, wait: .milliseconds(50)) == nil)
    #expect(peers.server.counters.dropped == 1)
    peers.close()
  }

  @Test func refusalsAreLimited() async throws {
    let peers = try SIPPeers { $0.rates.refusals = 0 }
    let broken = Bytes(whole().text.replacing("CSeq: 1 OPTIONS", with: "CSeq: 1 INVITE").utf8)
    #expect(try await exchange(broken, peers, wait: .milliseconds(50)) == nil)
    #expect(peers.server.counters.dropped == 1)
    peers.close()
  }

  @Test func withoutRportTheAnswerGoesToThePortOfTheVia() async throws {
    let peers = try SIPPeers()
    peers.answer(200)
    let said = Once<String>()
    let other = try UDPSocket(bind: anyPort) { datagram, _ in said.came(datagram.text) }
    let text = whole().text.replacing("127.0.0.1:9;rport", with: "127.0.0.1:\(other.local.port)").replacing("/TCP", with: "/UDP")
    #expect(try await exchange(Bytes(text.utf8), peers, wait: .milliseconds(50)) == nil)
    #expect(await said.wait()?.hasPrefix("SIP/2.0 200") == true)
    other.close()
    peers.close()
  }
}
