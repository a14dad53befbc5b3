import Core
import Cryptography
import Endpoints
import HTTP
public import Network
import PhoneContract
public import Primitives
import Push
import SIP
import Store
import Switchboard
public import Telemetry

/// One running node: everything wired together, from start to stop.
@LoopActor
public final class Server {
  private let exchange: Exchange
  private let sip: SIPEndpoint
  private let admin: AdminService
  private let status: StatusBoard
  private let adminServer: HTTPServer
  private let phoneServers: [HTTPServer]
  private let resolver: Resolver
  private let log: Log
  private let cluster: ClusterParts?

  /// Where it listens; with port 0 in the configuration these are the ports that were free.
  public let addresses: Addresses

  public struct Addresses: Sendable {
    public let https: [SocketAddress]
    public let admin: SocketAddress
    public let sip: [SocketAddress]
  }

  /// Listens and serves.
  /// - Throws: a line that says what is wrong: an address in use, a file that cannot be read, a key that does not fit.
  public convenience init(_ configuration: Configuration, log: Log, limits: ServerLimits = .init()) throws(StartError) {
    try self.init(configuration, log: log, limits: limits, tellsDevices: true)
  }

  /// - Parameter tellsDevices: false only to measure what the rest costs: see `Announcer`.
  package init(_ configuration: Configuration, log: Log, limits: ServerLimits = .init(), tellsDevices: Bool) throws(StartError) {
    let parts = try ServerParts(configuration, log: log, limits: limits, tellsDevices: tellsDevices)
    self.log = log
    resolver = parts.resolver
    cluster = parts.cluster
    sip = parts.sip
    exchange = parts.exchange
    let (exchange, sip, metrics) = (exchange, sip, parts.metrics)
    status = StatusBoard(
      node: configuration.node.name, reading: { exchange.reading },
      totals: { metrics.totals(sip.counters) })
    if let cluster = parts.cluster { status.cluster = { cluster.status(of: exchange.core) } }
    admin = AdminService(metrics: { metrics.page(exchange.core.switchboard.load, sip.counters) }, status: status)
    phoneServers = try parts.listenForPhones(configuration)
    let admin = admin
    adminServer = try StartError.explaining("admin.listen") {
      try HTTPServer(listen: configuration.admin.listen, tls: nil) { request, http in http.respond(admin.handle(request)) }
    }
    addresses = Addresses(
      https: phoneServers.compactMap(\.local), admin: adminServer.local ?? configuration.admin.listen,
      sip: Transport.allCases.flatMap { sip.localAddresses($0) })
    // A node of a cluster that has no lease serves nobody.
    admin.isReady = { exchange.core.mayAct(now: Loop.now()) }
    for address in addresses.https { log.info("phones are served", .local(address)) }
    for address in addresses.sip { log.info("providers are served", .local(address)) }
  }

  /// Called once where the node cannot begin as it is configured, and waiting does not help.
  public var onRefused: (@LoopActor (StartError) -> Void)? {
    get { cluster?.onRefused }
    set { cluster?.onRefused = newValue }
  }

  /// Takes certificates, push keys and trust from a configuration that was read again; what cannot be used changes nothing. Everything
  /// else of it counts from the next start.
  public func reload(_ configuration: Configuration) {
    do throws(StartError) {
      let certificates = try ServerCertificates(configuration)
      let apns = try ServerParts.apns(configuration, resolver)
      try cluster?.reload(configuration.node)
      for server in phoneServers { server.replace(tls: certificates.https) }
      sip.setTLS(server: certificates.sip, client: certificates.providers)
      exchange.announcer.replace(apns: apns)
      log.info("certificates and push keys were read again")
    } catch {
      log.error("reading certificates and push keys again failed; nothing changes")
    }
  }

  /// Ends the calls, gives the bindings back, ends what is open, and is gone after at most `limit`.
  public func stop(within limit: Duration = .seconds(5)) async {
    admin.isReady = { false }
    log.info("stopping")
    await exchange.leave(within: cluster == nil ? limit / 2 : limit)
    await exchange.announcer.drain(within: .seconds(1))
    // From now on it could only refuse what others can take.
    if cluster != nil { sip.close() }
    async let others: Void? = cluster?.close()
    for server in phoneServers { await server.stop(within: .seconds(1)) }
    await others
    sip.close()
    await adminServer.stop(within: .zero)
    status.stop()
    resolver.close()
    log.flush()
  }
}
