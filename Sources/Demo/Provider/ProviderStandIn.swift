import Cryptography
import Endpoints
public import Network
public import Primitives
public import SIP

/// A small SIP provider on the loopback, for the demo and for tests: a registrar with digest, and a caller. Everything is in memory.
@LoopActor
public final class ProviderStandIn {
  public let settings: ProviderSettings
  /// UDP and TCP.
  public let address: SocketAddress
  public let tlsAddress: SocketAddress?

  private let endpoint: SIPEndpoint
  private let resolver: Resolver
  private var registrar: Registrar
  private var random: SeededRandom
  private let journal = Journal<ProviderEvent>()
  private var calls: [Bytes: ProviderCall] = [:]

  /// Calls at once.
  private static let callLimit = 10_000

  /// Listens at once. Throws `NetworkError`, or `TLSError` for a certificate that cannot be used.
  public init(_ settings: ProviderSettings = .init()) throws {
    var system = SystemRandom()
    random = SeededRandom(from: &system)
    self.settings = settings
    registrar = Registrar(settings, random: SeededRandom(from: &system))
    resolver = try Resolver()
    endpoint = try Self.listen(settings, resolver, seed: system.next())
    address = endpoint.localAddresses(.udp).first ?? settings.listen
    tlsAddress = endpoint.localAddresses(.tls).first
    endpoint.onEvent = { [weak self] in self?.handle($0) }
    endpoint.onFlowEnded = { [weak self] in self?.flowEnded($0) }
  }

  /// One port for UDP and TCP: a free one of the first may be taken in the second, so several are tried.
  private static func listen(_ settings: ProviderSettings, _ resolver: Resolver, seed: UInt64) throws -> SIPEndpoint {
    var random = SystemRandom()
    for _ in 0..<50 {
      var address = settings.listen
      // Below the range that the system itself hands out.
      if address.port == 0 { address.port = .random(in: 20_000..<32_000, using: &random) }
      do {
        return try SIPEndpoint(endpointSettings(settings, address), resolver: resolver, seed: seed)
      } catch NetworkError.addressInUse where settings.listen.port == 0 {}
    }
    throw NetworkError.addressInUse
  }

  private static func endpointSettings(_ settings: ProviderSettings, _ address: SocketAddress) throws -> SIPSettings {
    var own = SIPSettings()
    (own.udp, own.tcp) = ([address], [address])
    own.rates.messages = 100_000
    own.addresses.allowed = ["127.0.0.0/8", "::1/128"].compactMap { AddressRange($0) }
    if let (certificate, key) = settings.certificate {
      own.tls = [SocketAddress(ip: address.ip, port: 0)]
      own.serverTLS = try .server(certificatePEM: certificate, keyPEM: key, alpn: [])
    }
    return own
  }

  /// Ends everything at once.
  public func close() {
    endpoint.close()
    resolver.close()
  }

  // MARK: Registrar

  public var events: [ProviderEvent] { journal.entries }

  /// How many events there have been: where a wait for what comes next starts.
  public var eventCount: Int { journal.count }

  public func bindings(of user: String) -> [ProviderBinding] { registrar.bindings(of: user, now: Loop.now()) }

  /// The first event that fits, of those that are there from `start` on or of those that come.
  public func first(
    _ expected: String, from start: Int = 0, within limit: Duration = .seconds(5), where fits: @escaping (ProviderEvent) -> Bool
  ) async throws(Unexpected) -> ProviderEvent {
    try await journal.first(expected, from: start, within: limit, where: fits)
  }

  // MARK: Caller

  /// Calls a registered user.
  /// - Parameters:
  ///   - sdp: the offer; nil for an INVITE without one.
  ///   - lateSDP: the answer that the ACK carries then.
  /// - Throws: where nobody is registered under that name, or too many calls are on.
  public func call(
    _ user: String, from caller: ProviderCaller, sdp: Bytes?, lateSDP: Bytes? = nil,
    write: (inout MessageBuilder) -> Void = { _ in }
  ) throws(Unexpected) -> ProviderCall {
    guard let binding = bindings(of: user).last else { throw Unexpected(expected: "a binding of the user", came: "none") }
    guard calls.count < Self.callLimit else { throw Unexpected(expected: "room for a call", came: "\(calls.count) calls") }
    let line = ProviderLine(endpoint, to: binding)
    let request = invite(user, binding, caller, sdp, line, write)
    let call = ProviderCall(request, sdp: sdp, lateSDP: sdp == nil ? lateSDP : nil, over: line)
    calls[call.callID] = call
    return call
  }

  /// Forgets a call that is over; one that is not is left as it is at the other side.
  public func forget(_ call: ProviderCall) { calls[call.callID] = nil }

  private func invite(
    _ user: String, _ binding: ProviderBinding, _ caller: ProviderCaller, _ sdp: Bytes?, _ line: ProviderLine,
    _ write: (inout MessageBuilder) -> Void
  ) -> Request {
    let (tag, callID) = (random.token(10).text, random.token(22))
    return MessageBuilder.request(.invite, uri: binding.contact, body: sdp ?? []) { builder in
      builder.append(.maxForwards, "70")
      builder.append(.from, caller.address(in: settings.domain) + ";tag=\(tag)".utf8)
      builder.append(.to, Bytes("<sip:\(user)@\(settings.domain)>".utf8))
      builder.append(.callID, callID)
      builder.append(.cSeq, "1 INVITE")
      builder.append(.contact, line.contact)
      builder.append(.allow, "INVITE, ACK, CANCEL, BYE, OPTIONS, UPDATE, INFO")
      caller.write(to: &builder, domain: settings.domain)
      if sdp != nil { builder.append(.contentType, "application/sdp") }
      write(&builder)
    }
  }

  // MARK: What comes

  private func handle(_ event: TransactionLayer.Event) {
    switch event {
    case .request(let request, let id, let flow): handle(request, id, flow)
    case .cancel(_, let request, let id): endpoint.respond(to: id, with: .make(to: request, status: 200, toTag: random.token(10)))
    case .response(let response, let id): call(of: response)?.received(response, in: id)
    case .timedOut(let id), .transportFailed(let id): for call in calls.values { call.failed(id) }
    case .noACK, .acknowledged, .ended: break
    }
  }

  private func flowEnded(_ flow: Flow) {
    for event in registrar.flowEnded(flow) { journal.add(event) }
    for call in calls.values { call.line.flowEnded(flow) }
  }

  private func handle(_ request: Request, _ id: ServerTransactionID, _ flow: Flow) {
    guard request.method != .ack else { return }
    endpoint.respond(to: id, with: response(to: request, flow))
  }

  private func response(to request: Request, _ flow: Flow) -> Response {
    if request.method == .register {
      let (response, event) = registrar.register(request, from: flow, now: Loop.now())
      journal.add(event)
      return response
    }
    if let callID = try? request.callID, let response = calls[Array(callID)]?.received(request) { return response }
    let isInDialog = (try? request.toTag) != nil
    return .make(to: request, status: isInDialog ? 481 : request.method == .options ? 200 : 405, toTag: random.token(10))
  }

  private func call(of response: Response) -> ProviderCall? {
    (try? response.callID).flatMap { calls[Array($0)] }
  }
}
