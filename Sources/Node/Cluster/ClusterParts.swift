import Cluster
import Cryptography
import Network
import Primitives
import RedisStore
import Store
import Switchboard
import Telemetry

/// What a node of a cluster has beside the parts of a single one.
@LoopActor
final class ClusterParts {
  let store: any StoreClient
  private(set) var driver: ClusterDriver?
  private let connection: RedisConnection
  private let node: NodeID
  private let listen: SocketAddress
  private let certificates: PeerCertificates
  private var service: PeerService?
  /// Where it was when this node last spoke with it.
  private var primary: String?

  /// nil for a single node.
  /// - Parameter key: the cluster key; what the store keeps is sealed with it.
  init?(_ configuration: Configuration, _ key: Bytes, _ resolver: Resolver) throws(StartError) {
    guard configuration.state == .redis else { return nil }
    guard let node = NodeID(configuration.node.name) else { throw StartError("node.name: 1 to 32 of a-z, 0-9 and -") }
    guard let listen = configuration.node.peersListen else { throw StartError("node.peers_listen: a node of a cluster needs it") }
    guard configuration.node.clusterKey != nil else { throw StartError("node.cluster_key: a node of a cluster needs it") }
    (self.node, self.listen) = (node, listen)
    certificates = try PeerCertificates(configuration.node)
    var random = SystemRandom()
    connection = RedisConnection(try RedisSettings(configuration.redis), resolver: resolver, random: SeededRandom(from: &random))
    guard let store = RedisStore(connection, clusterKey: key) else { throw StartError("node.cluster_key: it cannot be used") }
    self.store = store
  }

  /// Joins everything, and joins the cluster.
  func wire(_ exchange: Exchange, _ phones: PhoneService, _ log: Log) throws(StartError) {
    let driver = ClusterDriver(node: node, peerAddress: listen.text, store: store, exchange: exchange, log: log)
    driver.links = PeerLinks(of: node, tls: certificates.client) { [weak driver] in driver?.peer($0) }
    let handlers = PeerHandlers(
      greeted: { [weak driver] greeting, peer in driver?.greeted(greeting, by: peer) ?? Greeting(holder: nil, storeAnswers: false) },
      renew: { [weak driver] holder, completion in driver?.renewFor(holder, completion) },
      phone: { [weak phones] request, _, completion in phones?.answer(request, completion) ?? {} },
      sip: { [weak exchange] message, _, completion in exchange?.take(message, completion) },
      handed: { [weak driver] accounts, _ in driver?.handed(accounts) })
    service = try StartError.explaining("node.peers_listen") { () throws(NetworkError) in
      try PeerService(listen: listen, tls: certificates.server, handlers: handlers)
    }
    phones.router = PhoneRouter(store: store, cluster: driver)
    self.driver = driver
    connection.onStateChange = { [weak exchange] state in
      if case .answering = state { exchange?.feed { switchboard, _ in switchboard.reassert() } }
    }
    connection.start()
    driver.start()
  }

  var status: ClusterStatus? {
    if case .answering(let address) = connection.state { primary = "\(address.host):\(address.port)" }
    let isConnected = if case .answering = connection.state { true } else { false }
    return driver?.status(ClusterStatus.Redis(primary: primary, isConnected: isConnected))
  }

  /// Hands everything over, and goes.
  func leave(within limit: Duration) async {
    await driver?.leave(within: limit)
    driver?.links?.close()
    await service?.stop(within: .seconds(1))
    connection.stop()
  }
}

extension RedisStore: StoreClient {}
