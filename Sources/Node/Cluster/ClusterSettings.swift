import Primitives
import RedisStore
import Store

/// What a node of a cluster has to be told.
struct ClusterSettings {
  let node: NodeID
  let listen: SocketAddress
  let certificates: PeerCertificates
  let redis: RedisSettings

  /// nil for a single node.
  init?(_ configuration: Configuration) throws(StartError) {
    guard configuration.state == .redis else { return nil }
    guard let node = NodeID(configuration.node.name) else { throw StartError("node.name: 1 to 32 of a-z, 0-9 and -") }
    guard let listen = configuration.node.peersListen else { throw StartError("node.peers_listen: a node of a cluster needs it") }
    guard !listen.ip.isUnspecified else { throw StartError("node.peers_listen: the address at which its peers reach this node") }
    guard configuration.node.clusterKey != nil else { throw StartError("node.cluster_key: a node of a cluster needs it") }
    (self.node, self.listen) = (node, listen)
    certificates = try PeerCertificates(configuration.node)
    redis = try RedisSettings(configuration.redis)
  }
}
