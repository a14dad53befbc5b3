import Core
import Cryptography
import Endpoints
import HTTP
import Network
import Primitives
import Store
import Testing

@testable import Node

/// One node of a cluster on the loopback address: what peers do is real, what is behind it is written down.
@LoopActor
final class TestNode {
  /// What peers asked for, and the answers that wait.
  @LoopActor final class Desk {
    let greeted = Arrivals<NodeID>()
    let renewed = Arrivals<Holder>()
    let phones = Arrivals<ForwardedRequest>()
    let gone = Arrivals<UInt64>()
    let messages = Arrivals<PassedMessage>()
    let handed = Arrivals<Int>()
    var waiting: [UInt64: @LoopActor (HTTPResponse?) -> Void] = [:]

    /// Waits for a phone's request.
    func got(_ id: UInt64) async -> Bool { await phones.first { $0.number == id } != nil }
  }

  let holder: Holder
  let desk = Desk()
  let events = Arrivals<PeerEvent>()
  let distrust = Arrivals<TLSError>()
  let service: PeerService
  let links: PeerLinks
  private let address: SocketAddress

  /// - Parameters:
  ///   - certified: the name in its certificate, where that is another one.
  ///   - other: a node that has stopped, whose port it takes.
  init(
    _ name: String, _ authority: CertificateAuthority, certified: String? = nil, limits: PeerLimits = .init(), incarnation: UInt64 = 1,
    at other: TestNode? = nil
  ) throws {
    let id = try #require(NodeID(name))
    let identity = try authority.issue(names: [certified ?? name])
    let certificates = try PeerCertificates(
      certificatePEM: identity.certificatePEM, keyPEM: identity.keyPEM, authorityPEM: authority.certificatePEM)
    holder = Holder(node: id, incarnation: incarnation)
    service = try PeerService(
      listen: SocketAddress(ip: .loopbackIPv4, port: other?.address.port ?? 0), tls: certificates.server, limits: limits,
      handlers: Self.handlers(desk, holder))
    address = try #require(service.local)
    links = PeerLinks(of: id, tls: certificates.client, limits: limits) { [events] in events.came($0) }
    links.onUntrusted = { [distrust] in distrust.came($0) }
  }

  private static func handlers(_ desk: Desk, _ holder: Holder) -> PeerHandlers {
    PeerHandlers(
      greeted: { _, peer in
        desk.greeted.came(peer)
        return Greeting(holder: holder, storeAnswers: true)
      },
      renew: { holder, answer in
        desk.renewed.came(holder)
        answer(.leaseLost)
      },
      phone: { request, _, answer in
        desk.waiting[request.number] = answer
        desk.phones.came(request)
        return { desk.gone.came(request.number) }
      },
      sip: { message, _, answer in
        desk.messages.came(message)
        answer(message.message.first == UInt8(ascii: "A") ? nil : Array("SIP/2.0 200 OK\r\n\r\n".utf8))
      },
      handed: { accounts, _ in desk.handed.came(accounts.count) })
  }

  var member: Member { Member(holder: holder, peerAddress: address.text, remaining: .seconds(3)) }
  var id: NodeID { holder.node }
  var greeting: Greeting { Greeting(holder: holder, storeAnswers: true) }

  /// Speaks to the others, and waits until each has answered.
  func greet(_ others: TestNode...) async {
    links.greet(others.map(\.member), greeting)
    for other in others { #expect(await events.got(.heard(other.id, other.greeting))) }
  }

  /// Passes a request on; what comes back arrives in `answers`.
  @discardableResult
  func forward(_ id: UInt64, to peer: NodeID, _ answers: Arrivals<Result<HTTPResponse, PeerFailure>>) throws -> HTTPClientCall {
    links.forward(try .sample(id), to: peer, within: .seconds(30)) { answers.came($0) }
  }

  /// As a process that is killed: its port is closed, its connections end.
  func die() async {
    links.close()
    await service.stop(within: .zero)
  }
}

extension ForwardedRequest {
  static func sample(_ number: UInt64) throws -> ForwardedRequest {
    ForwardedRequest(
      account: try #require(AccountID(bytes: Bytes(repeating: 7, count: 16))),
      device: try #require(DeviceID(Base64.urlSafe.encode(Bytes(repeating: 9, count: 32)))), method: "GET",
      path: "/v1/calls/x/status", query: "\(number)", body: Bytes(repeating: 1, count: 3))
  }

  /// Tells the samples apart.
  var number: UInt64 { UInt64(query) ?? 0 }
}
