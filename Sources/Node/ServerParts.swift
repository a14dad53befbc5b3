import Core
import Cryptography
import Endpoints
import HTTP
import Network
import PhoneContract
import Primitives
import Push
import SIP
import Store
import Switchboard
import Telemetry

/// The parts of a node, made from its configuration in the order in which they need each other.
@LoopActor
struct ServerParts {
  let resolver: Resolver
  let sip: SIPEndpoint
  let metrics = NodeMetrics()
  let exchange: Exchange
  let phones: PhoneService

  init(_ configuration: Configuration, log: Log, limits: ServerLimits, tellsDevices: Bool) throws(StartError) {
    self.limits = limits
    resolver = try StartError.explaining("dns.servers") { try Resolver(servers: configuration.nameServers) }
    let key = try ClusterKey.load(configuration.node.clusterKey)
    let tls = try ServerCertificates(configuration)
    let apns = try Self.apns(configuration, resolver)
    sip = try Self.endpoint(configuration, tls, resolver, limits.sip)
    let cluster = try ClusterParts(configuration, key, resolver, log)
    let store: any StoreClient = if let cluster { cluster.store } else { EmbeddedStore() }
    exchange = Exchange(
      settings: Self.settings(configuration, sip), place: cluster?.place, sip: sip, store: store,
      announcer: Announcer(apns: apns, metrics: metrics, tellsDevices: tellsDevices),
      notes: NoteWriter(log: log, metrics: metrics), connectionPerAccount: configuration.sip.connectionPerAccount)
    phones = PhoneService(
      exchange: exchange, store: store, gate: RegistrarGate(sip: sip), metrics: metrics, clusterKey: key)
    certificates = tls
    self.cluster = cluster
    try cluster?.wire(exchange)
  }

  private let certificates: ServerCertificates
  /// nil: a single node.
  let cluster: ClusterParts?
  private let limits: ServerLimits

  // MARK: Phones

  func listenForPhones(_ configuration: Configuration) throws(StartError) -> [HTTPServer] {
    var servers: [HTTPServer] = []
    for address in configuration.https.listen {
      let server = try StartError.explaining("https.listen") {
        try HTTPServer(listen: address, tls: certificates.https, limits: limits.http, refusal: Self.refusal) { [phones] request, http in
          let visit = phones.handle(request) { http.respond($0) }
          http.onGone = { visit.onGone?() }
        }
      }
      server.onRefused = { [metrics] _ in metrics.httpRefused() }
      servers.append(server)
    }
    return servers
  }

  /// What never became a request is answered in the contract's words.
  private static let refusal: HTTPRefusal = { error in
    var response = Problem(error.status == 413 ? .tooLarge : .malformed).response
    response.status = error.status
    return response
  }

  // MARK: Providers

  private static func endpoint(
    _ configuration: Configuration, _ tls: ServerCertificates, _ resolver: Resolver, _ limits: SIPSettings
  ) throws(StartError) -> SIPEndpoint {
    var settings = limits
    let listen = configuration.sip.listen
    settings.udp = [listen.udp].compactMap(\.self)
    settings.tcp = [listen.tcp].compactMap(\.self)
    settings.tls = [listen.tls].compactMap(\.self)
    settings.advertise = configuration.sip.advertise?.text
    settings.serverTLS = tls.sip
    settings.clientTLS = tls.providers
    settings.addresses = AddressPolicy(allowed: configuration.sip.allowNetworks)
    var random = SystemRandom()
    let seed = random.next()
    return try StartError.explaining("sip.listen") { try SIPEndpoint(settings, resolver: resolver, seed: seed) }
  }

  private static func settings(_ configuration: Configuration, _ sip: SIPEndpoint) -> Switchboard.Settings {
    var contacts: [Transport: SocketAddress] = [:]
    for transport in Transport.allCases {
      guard let local = sip.localAddresses(transport).first else { continue }
      contacts[transport] = SocketAddress(ip: configuration.sip.advertise ?? local.ip, port: local.port)
    }
    return Switchboard.Settings(
      serverName: configuration.serverName, answeredCalls: configuration.accounts.answeredCalls,
      slots: SetUpPolicy(
        slots: configuration.accounts.slots,
        whenFull: configuration.accounts.whenFull == .refuse ? .refuse : .replaceOldest),
      protection: configuration.sip.protectionTimer, contacts: contacts)
  }

  // MARK: Push

  static func apns(_ configuration: Configuration, _ resolver: Resolver) throws(StartError) -> APNsSender? {
    guard let apns = configuration.push.apns else { return nil }
    let pem = try apns.key.contents()
    let key = try StartError.explaining("push.apns.key", of: apns.key) { () throws(KeyError) in try SigningPrivateKey(pem: pem) }
    let trust = try apns.trust.contents()
    let settings = APNsConfiguration(
      keyID: apns.keyID, teamID: apns.teamID, key: key, origin: apns.url.map { HTTPOrigin($0) }, trust: trust)
    var random = SystemRandom()
    return try StartError.explaining("push.apns.ca", of: apns.trust.file) { () throws(TLSError) in
      try APNsSender(settings, resolver: resolver, random: SeededRandom(from: &random))
    }
  }
}

extension HTTPOrigin {
  fileprivate init(_ origin: Origin) { self.init(scheme: origin.isSecure ? .https : .http, host: origin.host, port: origin.port) }
}
