import Cryptography
import Endpoints
import Network
import Primitives
import SIP

@testable import Demo

/// The other end of the provider stand-in, bare: the registration machine and an endpoint, without a server around them.
@LoopActor
final class RawPhone {
  let endpoint: SIPEndpoint
  /// What happens to calls; REGISTERs are kept apart.
  let heard = Journal<TransactionLayer.Event>()
  private(set) var registration: Registration
  /// What the registration machine made of the provider's answers.
  private let states = Journal<RegistrationStatus.State>()
  private let target: Target

  init(
    _ provider: ProviderStandIn, over transport: Transport = .udp, password: String = "wonderland", algorithm: DigestAlgorithm = .sha256,
    expires: UInt32 = 600, trusting authority: CertificateAuthority? = nil
  ) throws {
    let anyPort = SocketAddress(ip: .loopbackIPv4, port: 0)
    var settings = SIPSettings()
    (settings.udp, settings.tcp) = ([anyPort], [anyPort])
    if let authority { settings.clientTLS = try .client(trust: .pem(authority.certificatePEM), alpn: []) }
    let endpoint = try SIPEndpoint(settings, resolver: Resolver(), seed: 7)
    self.endpoint = endpoint
    target = Target(transport: transport, address: transport == .tls ? provider.tlsAddress ?? anyPort : provider.address)
    let domain = provider.settings.domain
    let contacts = Transport.allCases.map { ($0, Bytes((endpoint.localAddresses($0).first ?? anyPort).text.utf8)) }
    let own = RegistrationSettings(
      registrar: Bytes("sip:\(domain)".utf8), addressOfRecord: Bytes("sip:alice@\(domain)".utf8), username: Bytes("alice".utf8),
      token: Bytes("token".utf8), expires: expires, contactAddresses: Dictionary(uniqueKeysWithValues: contacts))
    let ha1 = DigestAnswer.hash("alice:\(domain):\(password)", algorithm)
    let credential = DigestCredential(realm: Bytes(domain.utf8), algorithm: algorithm, ha1: ha1.utf8)
    registration = Registration(own, credentials: [credential].compactMap(\.self), random: SeededRandom(seed: 3))
    endpoint.onEvent = { [weak self] in self?.handle($0) }
  }

  func register() { perform(registration.start(now: Loop.now())) }

  /// Until it knows that it is registered.
  func registered() async throws { _ = try await states.first("registered", within: .seconds(5)) { $0 == .registered } }

  /// As if the time for it had come.
  func refresh() { perform(registration.deadlineReached(now: Loop.now() + .seconds(600))) }

  /// Ends the connection that it registered over.
  func disconnect() { endpoint.close(endpoint.flow(to: hop(target))) }

  func unregister() { perform(registration.remove(now: Loop.now())) }

  private func perform(_ actions: [Registration.Action]) {
    for action in actions {
      switch action {
      case .resolve: perform(registration.targetsResolved([target], now: Loop.now()))
      case .send(let request, let target): endpoint.send(request, to: hop(target))
      case .changed(let status): states.add(status.state)
      default: break
      }
    }
  }

  private func hop(_ target: Target) -> SIPHop {
    SIPHop(target, identity: target.transport == .tls ? ServerIdentity(host: "provider.example") : nil)
  }

  private func handle(_ event: TransactionLayer.Event) {
    if case .response(let response, let id) = event, id.method == .register {
      return perform(registration.received(response, now: Loop.now()))
    }
    heard.add(event)
  }

  // MARK: Calls

  /// The INVITE that comes next.
  func invite(from start: Int = 0) async throws -> (request: Request, id: ServerTransactionID, flow: Flow) {
    try await request(.invite, from: start)
  }

  func request(_ method: Method, from start: Int = 0) async throws -> (request: Request, id: ServerTransactionID, flow: Flow) {
    let event = try await heard.first("\(method)", from: start, within: .seconds(5)) {
      if case .request(let request, _, _) = $0 { request.method == method } else { false }
    }
    guard case .request(let request, let id, let flow) = event else { throw Unexpected(expected: "\(method)", came: "\(event)") }
    return (request, id, flow)
  }

  func respond(_ status: Int, to invite: Request, _ id: ServerTransactionID, sdp: String = "") {
    endpoint.respond(
      to: id,
      with: .make(to: invite, status: status, toTag: Bytes("phone".utf8), body: Bytes(sdp.utf8)) { builder in
        builder.append(.contact, "<sip:token@127.0.0.1>")
        if !sdp.isEmpty { builder.append(.contentType, "application/sdp") }
      })
  }
}

extension ProviderEvent {
  var isRegistered: Bool { if case .registered = self { true } else { false } }
  var isRefreshed: Bool { if case .refreshed = self { true } else { false } }
}
