public import Primitives
import Store

/// The nodes that a new cluster begins with.
public struct ClusterPlan: Sendable, Equatable {
  public struct Node: Sendable, Equatable {
    public let name: String
    /// Where its peers reach it, as far as that is known.
    public let host: IPAddress?
  }

  public let nodes: [Node]

  /// - Parameters:
  ///   - nodes: names between commas.
  ///   - hosts: `name=address` between commas; a node may be left out.
  /// - Throws: what is wrong with them.
  public init(nodes: String, hosts: String = "") throws(Mistake) {
    let names = Self.parts(nodes)
    if let wrong = names.first(where: { NodeID($0) == nil }) {
      throw Mistake("'\(wrong)' is no name of a node: 1 to 32 of a-z, 0-9 and -")
    }
    guard Set(names).count == names.count else { throw Mistake("a node is there twice") }
    guard (1...PeerLimits.peers).contains(names.count) else { throw Mistake("there must be 1 to \(PeerLimits.peers) nodes") }
    let addresses = try Self.addresses(hosts, of: names)
    self.nodes = names.map { Node(name: $0, host: addresses[$0]) }
  }

  private static func addresses(_ hosts: String, of names: [String]) throws(Mistake) -> [String: IPAddress] {
    var addresses: [String: IPAddress] = [:]
    for part in parts(hosts) {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard pair.count == 2, let address = IPAddress(pair[1]) else { throw Mistake("'\(part)' is not NODE=ADDRESS") }
      guard names.contains(pair[0]) else { throw Mistake("there is no node '\(pair[0])'") }
      guard addresses.updateValue(address, forKey: pair[0]) == nil else { throw Mistake("'\(pair[0])' has two addresses") }
    }
    return addresses
  }

  private static func parts(_ text: String) -> [String] {
    text.isEmpty ? [] : text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
  }

  /// In one line.
  public struct Mistake: Error, Equatable {
    public let text: String
    init(_ text: String) { self.text = text }
  }
}
