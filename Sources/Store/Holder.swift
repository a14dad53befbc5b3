public import Primitives

/// The name of a node, the same in each of its lives.
public struct NodeID: Hashable, Sendable, Comparable, CustomStringConvertible {
  public let name: String

  /// nil unless it is 1 to 32 of a-z, 0-9 and "-".
  public init?(_ name: String) {
    let letters = name.utf8
    guard (1...32).contains(letters.count), letters.allSatisfy({ Self.allowed.contains($0) }) else { return nil }
    self.name = name
  }

  private init(known name: String) { self.name = name }

  private static let allowed = Set("abcdefghijklmnopqrstuvwxyz0123456789-".utf8)

  /// The one node where there is no cluster.
  static let local = NodeID(known: "local")

  public var description: String { name }

  public static func < (left: NodeID, right: NodeID) -> Bool { left.name < right.name }
}

/// One life of one node. It has a lease, owns accounts, is the home of calls; the next life of the node is another holder.
public struct Holder: Hashable, Sendable, CustomStringConvertible {
  public let node: NodeID
  public let incarnation: UInt64

  public init(node: NodeID, incarnation: UInt64) {
    self.node = node
    self.incarnation = incarnation
  }

  /// A single node without a cluster: nobody takes anything from it.
  public static let alone = Holder(node: .local, incarnation: 1)

  public var description: String { "\(node):\(incarnation)" }

  /// From `description`.
  public init?(_ text: some StringProtocol) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let node = NodeID(String(parts[0])), let incarnation = UInt64(parts[1]) else { return nil }
    self.init(node: node, incarnation: incarnation)
  }
}

/// Counts the owners of an account: it only grows.
public struct Epoch: Hashable, Sendable, Comparable {
  public let number: UInt64

  public init(number: UInt64) { self.number = number }

  public static func < (left: Epoch, right: Epoch) -> Bool { left.number < right.number }
}

/// What every write of an owner carries. The store refuses one that is behind: somebody else owns the account by now.
public struct Fence: Hashable, Sendable {
  public let holder: Holder
  public let epoch: Epoch

  public init(holder: Holder, epoch: Epoch) {
    self.holder = holder
    self.epoch = epoch
  }

  /// What a single node without a cluster writes with.
  public static let alone = Fence(holder: .alone, epoch: Epoch(number: 1))
}

/// A node that has a lease.
public struct Member: Sendable, Equatable {
  public let holder: Holder
  public let peerAddress: String
  /// Until the lease ends, by the clock of the store.
  public let remaining: Duration

  public init(holder: Holder, peerAddress: String, remaining: Duration) {
    self.holder = holder
    self.peerAddress = peerAddress
    self.remaining = remaining
  }

  /// How long a lease is valid.
  public static let lease = Duration.seconds(3)
}

extension Holder: RecordCodable {
  public init(_ record: Record) throws(RecordError) {
    guard let node = NodeID(try record.text(1)) else { throw .unknownValue(field: 1) }
    self.init(node: node, incarnation: try record.number(2))
  }

  public func write(to writer: inout RecordWriter) {
    writer.write(1, node.name)
    writer.write(2, incarnation)
  }
}

extension Fence: RecordCodable {
  public init(_ record: Record) throws(RecordError) {
    self.init(holder: try record.value(1), epoch: Epoch(number: try record.number(2)))
  }

  public func write(to writer: inout RecordWriter) {
    writer.write(1, holder)
    writer.write(2, epoch.number)
  }
}

extension Holder: Comparable {
  public static func < (left: Holder, right: Holder) -> Bool { (left.node, left.incarnation) < (right.node, right.incarnation) }
}

extension Member: Comparable {
  public static func < (left: Member, right: Member) -> Bool { left.holder < right.holder }
}
