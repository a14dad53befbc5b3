import Cryptography
public import Primitives

/// All that a new cluster needs to know that nobody else knows: an authority of its own, a certificate for each node, and the secrets
/// that the nodes share. In memory; `write` makes files of it.
public struct ClusterFiles: Sendable, Discreet {
  public struct File: Sendable, Discreet {
    /// From the cluster's folder.
    public let path: String
    public let content: Bytes
    /// Whether only its owner may read it.
    public let isSecret: Bool

    public var shown: String { path }
  }

  public let plan: ClusterPlan
  public let files: [File]

  /// New secrets with every call.
  public init(_ plan: ClusterPlan) {
    self.plan = plan
    let secrets = Secrets(key: Hex.encode(SystemRandom.bytes(32)), password: Base64.urlSafe.encode(SystemRandom.bytes(32)))
    guard let files = try? Self.files(plan, secrets) else { preconditionFailure("the names of nodes are names in certificates") }
    self.files = files
  }

  private struct Secrets {
    let key: String
    let password: String
  }

  private static func files(_ plan: ClusterPlan, _ secrets: Secrets) throws(CertificateError) -> [File] {
    let authority = try CertificateAuthority(commonName: "ringhold cluster")
    var files = [
      File(path: "cluster-ca.pem", content: authority.certificatePEM, isSecret: false),
      File(path: "cluster-ca.key", content: authority.keyPEM, isSecret: true),
      File(path: "redis-password", line: secrets.password),
    ]
    for node in plan.nodes { files += try Self.files(of: node.name, authority, secrets) }
    return files
  }

  /// What goes to the node's host, and nothing else has to.
  private static func files(
    of node: String, _ authority: CertificateAuthority, _ secrets: Secrets
  ) throws(CertificateError) -> [File] {
    let (certificate, key) = try authority.issue(names: [node], validity: validity)
    return [
      File(path: "\(node)/cluster-ca.pem", content: authority.certificatePEM, isSecret: false),
      File(path: "\(node)/node.pem", content: certificate, isSecret: false),
      File(path: "\(node)/node.key", content: key, isSecret: true),
      File(path: "\(node)/cluster.key", line: secrets.key),
      File(path: "\(node)/redis.env", line: "RINGHOLD_REDIS_PASSWORD=\(secrets.password)"),
    ]
  }

  /// As long as the authority's own: no program outside of the cluster judges these, and one that ran out would end the cluster.
  private static let validity = Duration.seconds(-3600)..<Duration.seconds(86_400 * 3650)

  /// What the configuration of a node has to say, for files that lie beside it. Tells no secret.
  public static func configuration(of node: ClusterPlan.Node) -> String {
    let address = node.host.map { SocketAddress(ip: $0, port: peersPort).text } ?? "ADDRESS:\(peersPort)"
    return """
      state: redis
      node: {name: "\(node.name)", peers_listen: "\(address)", certificate: node.pem, key: node.key, ca: cluster-ca.pem, cluster_key: cluster.key}
      """
  }

  private static let peersPort: UInt16 = 7443
}

extension ClusterFiles.File {
  /// A secret in one line.
  fileprivate init(path: String, line: String) { self.init(path: path, content: Array((line + "\n").utf8), isSecret: true) }
}
