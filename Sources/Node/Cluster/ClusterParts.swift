import Core
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
  let store: RedisStore
  private let connection: RedisConnection
  private let node: NodeID
  private let listen: SocketAddress
  private var certificates: PeerCertificates
  private var service: PeerService?
  private var links: PeerLinks?
  /// Where it was when this node last spoke with it.
  private var primary: String?
  private let log: Log
  var onRefused: (@LoopActor (StartError) -> Void)?

  /// nil for a single node.
  /// - Parameter key: the cluster key; what the store keeps is sealed with it.
  init?(_ configuration: Configuration, _ key: Bytes, _ resolver: Resolver, _ log: Log) throws(StartError) {
    guard let settings = try ClusterSettings(configuration) else { return nil }
    (node, listen, certificates, self.log) = (settings.node, settings.listen, settings.certificates, log)
    var random = SystemRandom()
    connection = RedisConnection(settings.redis, resolver: resolver, random: SeededRandom(from: &random))
    guard let store = RedisStore(connection, clusterKey: key) else { throw StartError("node.cluster_key: it cannot be used") }
    self.store = store
  }

  var place: NodeCore.Place { NodeCore.Place(node: node, peerAddress: listen.text) }

  /// Joins everything, and joins the cluster.
  func wire(_ exchange: Exchange) throws(StartError) {
    let links = PeerLinks(of: node, tls: certificates.client) { [weak exchange] event in exchange?.feed { $0.peer(event, now: $1) } }
    links.onUntrusted = { [log] why in log.warning("no trust between this node and a peer", .word("reason", why.word)) }
    exchange.peers = links
    self.links = links
    service = try StartError.explaining("node.peers_listen") { () throws(NetworkError) in
      try PeerService(listen: listen, tls: certificates.server, handlers: exchange.handlers)
    }
    connection.onStateChange = { [weak self, weak exchange] state in
      self?.note(state)
      exchange?.feed { core, now in if case .answering = state { core.storeCameBack(now: now) } else { core.storeWent(now: now) } }
    }
    store.onFull = { [log] isFull in
      if isFull { log.warning("Redis is full: it takes no new call or set-up") } else { log.info("Redis has room again") }
    }
    store.onNewBeginning = { [weak exchange] in exchange?.feed { $0.storeBeganAnew(now: $1) } }
    connection.start()
    exchange.feed { $0.start(now: $1) }
  }

  /// Certificate and trust for connections between nodes that are made from now on.
  func reload(_ node: Configuration.Node) throws(StartError) {
    certificates = try PeerCertificates(node)
    service?.replace(tls: certificates.server)
    links?.replace(tls: certificates.client)
  }

  private func note(_ state: RedisConnection.State) {
    switch state {
    case .answering(let address):
      primary = "\(address.host):\(address.port)"
      log.info("Redis answers")
    case .unreachable(let trouble?):
      log.warning("Redis cannot be used", .word("reason", trouble.word))
      // Without ever having had it a node has nothing to lose.
      if primary == nil, trouble.isFinal { refuse(StartError("redis: \(trouble.explanation)")) }
    case .unreachable(nil): break
    }
  }

  private func refuse(_ error: StartError) {
    onRefused?(error)
    onRefused = nil
  }

  func status(of core: NodeCore) -> ClusterStatus {
    let isConnected = if case .answering = connection.state { true } else { false }
    return ClusterStatus(core, ClusterStatus.Redis(primary: primary, isConnected: isConnected), now: Loop.now())
  }

  /// Everything is handed over: nothing is served or asked any more.
  func close() async {
    links?.close()
    await service?.stop(within: .seconds(1))
    connection.stop()
  }
}

extension RedisStore: StoreClient {}
