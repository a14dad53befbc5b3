import Cryptography
import Network
import Primitives
import SIP
import Testing
import TestKit

@testable import Endpoints

@LoopActor
@Suite struct SIPEndpointTests {
  @Test(arguments: Transport.allCases)
  func aRequestIsAnswered(_ transport: Transport) async throws {
    let peers = try SIPPeers()
    peers.answer(200)
    let heard = peers.clientHears()
    let id = peers.client.send(request(), to: peers.hop(transport))
    guard case .response(let response, let answered)? = await heard.wait() else {
      Issue.record("no response")
      return peers.close()
    }
    #expect(response.status == 200)
    #expect(answered == id)
    let via = try response.topVia
    #expect(via.transport.equals(transport.viaName))
    #expect(via.received == .loopbackIPv4)
    #expect(via.sentBy.port == peers.client.localAddresses(transport).first?.port)
    #expect(via.rport != nil)
    peers.close()
  }

  @Test(arguments: [Transport.tcp, .tls])
  func connectionsAreShared(_ transport: Transport) async throws {
    let peers = try SIPPeers()
    let done = Once<Set<UInt64>>()
    var flows: Set<UInt64> = []
    var count = 0
    peers.server.onEvent = { event in
      guard case .request(_, _, let flow) = event else { return }
      flows.insert(flow.connection)
      count += 1
      if count == 5 { done.came(flows) }
    }
    for number in 0..<3 { peers.client.send(request(callID: "\(number)"), to: peers.hop(transport)) }
    for owner in 1...2 {
      var hop = peers.hop(transport)
      hop.owner = UInt64(owner)
      peers.client.send(request(callID: "own \(owner)".replacing(" ", with: "")), to: hop)
    }
    #expect(await done.wait()?.count == 3)
    peers.close()
  }

  @Test func aServerWithAnotherNameGetsNothing() async throws {
    let peers = try SIPPeers()
    peers.server.onEvent = { _ in Issue.record("a request came through") }
    let heard = peers.clientHears()
    var hop = peers.hop(.tls)
    hop.identity = ServerIdentity(host: "sip.example.com")
    let id = peers.client.send(request(), to: hop)
    #expect(await heard.wait() == .transportFailed(id))
    peers.close()
  }

  @Test(arguments: Transport.allCases)
  func nobodyThereIsSaidAtOnce(_ transport: Transport) async throws {
    let peers = try SIPPeers()
    let hop = peers.hop(transport)
    peers.server.close()
    _ = await Once<Bool>().wait(.milliseconds(5))
    let heard = peers.clientHears()
    let id = peers.client.send(request(), to: hop)
    #expect(await heard.wait() == .transportFailed(id))
    peers.close()
  }

  @Test func aResponseFindsItsWayWhenTheConnectionIsCut() async throws {
    let peers = try SIPPeers()
    let arrived = Once<(Request, ServerTransactionID)>()
    peers.server.onEvent = { event in
      if case .request(let request, let id, _) = event { arrived.came((request, id)) }
    }
    let gone = Once<Bool>()
    peers.server.onFlowEnded = { _ in gone.came(true) }
    // A client that listens where its Via says, and whose connection for the request is another one.
    let answered = Once<String>()
    let listener = try TCPListener(bind: anyPort) { $0.onBytes = { answered.came($0.text) } }
    let stream = try await Connector.connect(to: peers.hop(.tcp).target.address)
    let invite = request(.invite).inserting(.via, Bytes("SIP/2.0/TCP 127.0.0.1:\(listener.local.port);branch=z9hG4bKcut".utf8))
    stream.write(invite.message.raw)
    let (request, id) = try #require(await arrived.wait())
    stream.abort()
    #expect(await gone.wait() == true)
    peers.server.respond(to: id, with: .make(to: request, status: 486, toTag: Bytes("srv".utf8)))
    #expect(await answered.wait()?.hasPrefix("SIP/2.0 486 ") == true)
    listener.close()
    peers.close()
  }

  @Test func anotherNodesConnectionIsNotTheOneWithItsNumber() async throws {
    let peers = try SIPPeers()
    let arrived = Once<Flow>()
    peers.server.onEvent = { event in if case .request(_, _, let flow) = event { arrived.came(flow) } }
    let stranger = Once<String>()
    let stream = try await Connector.connect(to: peers.hop(.tcp).target.address)
    stream.onBytes = { stranger.came($0.text) }
    stream.write(request().inserting(.via, Bytes("SIP/2.0/TCP 127.0.0.1:1;branch=z9hG4bKstranger".utf8)).message.raw)
    let taken = try #require(await arrived.wait())
    let answered = Once<String>()
    let provider = try TCPListener(bind: anyPort) { $0.onBytes = { answered.came($0.text) } }
    let invite = request(.invite).inserting(.via, Bytes("SIP/2.0/TCP 127.0.0.1:\(provider.local.port);branch=z9hG4bKadopted".utf8))
    let flow = Flow(
      transport: .tcp, local: try #require(SocketAddress("127.0.0.9:5060")), remote: taken.remote, connection: taken.connection)
    let id = try peers.server.adopt(invite: invite, last: nil, from: flow)
    peers.server.respond(to: id, with: .make(to: invite, status: 486, toTag: Bytes("srv".utf8)))
    #expect(await answered.wait()?.hasPrefix("SIP/2.0 486 ") == true)
    #expect(await stranger.wait(.milliseconds(20)) == nil)
    provider.close()
    stream.abort()
    peers.close()
  }

  @Test func aResponseThatReachesNobodyIsCounted() async throws {
    let peers = try SIPPeers()
    let arrived = Once<(Request, ServerTransactionID)>()
    peers.server.onEvent = { event in
      if case .request(let request, let id, _) = event { arrived.came((request, id)) }
    }
    let gone = Once<Bool>()
    peers.server.onFlowEnded = { _ in gone.came(true) }
    let stream = try await Connector.connect(to: peers.hop(.tcp).target.address)
    stream.write(request().inserting(.via, Bytes("SIP/2.0/TCP 127.0.0.1:1;branch=z9hG4bKnobody".utf8)).message.raw)
    let (request, id) = try #require(await arrived.wait())
    stream.abort()
    _ = await gone.wait()
    peers.server.respond(to: id, with: .make(to: request, status: 200, toTag: Bytes("srv".utf8)))
    for _ in 0..<200 where peers.server.counters.undeliverable == 0 { _ = await Once<Bool>().wait(.milliseconds(5)) }
    #expect(peers.server.counters.undeliverable == 1)
    peers.close()
  }

  /// A name server that knows no name.
  private func ignorant() throws -> UDPSocket {
    var answer: UDPSocket?
    let server = try UDPSocket(bind: anyPort) { query, source in
      var reply = Array(query)
      reply[2] |= 0x80
      reply[3] = 0x83
      answer?.send(reply, to: source)
    }
    answer = server
    return server
  }

  @Test func aNameWithoutRecordsLeadsToItsAddresses() async throws {
    let server = try ignorant()
    let peers = try SIPPeers(nameServer: server.local)
    // The hosts file knows it by both families; the policy of the test permits one.
    let targets = try await peers.client.locate(.init(host: "localhost", isAuto: true))
    #expect(targets.map(\.address.text) == ["127.0.0.1:5061", "127.0.0.1:5060", "127.0.0.1:5060"])
    #expect(targets.map(\.transport) == [.tls, .tcp, .udp])
    await #expect(throws: NetworkError.nameNotFound) { try await peers.client.locate(.init(host: "nowhere.example.org")) }
    peers.close()
    server.close()
  }

  @Test func anAddressLeadsToItself() async throws {
    let peers = try SIPPeers()
    let port = peers.hop(.tcp).target.address.port
    let targets = try await peers.client.locate(.init(host: "127.0.0.1", port: port, transport: .tcp))
    #expect(targets == [peers.hop(.tcp).target])
    await #expect(throws: NetworkError.notPermitted) { try await peers.client.locate(.init(host: "10.0.0.1")) }
    peers.close()
  }
}
