import Primitives

/// Everybody who can be cut off from somebody else.
public enum Party: Hashable, Sendable {
  case node(Int)
  case redis
  case provider(Int)
  case phone(Int)
  case push

  /// Short, for the story.
  public var name: String {
    switch self {
    case .node(let index): NodeNames.name(index)
    case .redis: "redis"
    case .provider(let index): "provider-\(index + 1)"
    case .phone(let index): "phone-\(index + 1)"
    case .push: "push"
    }
  }

  var code: UInt32 {
    switch self {
    case .node(let index): UInt32(index)
    case .redis: 100
    case .push: 101
    case .provider(let index): 200 + UInt32(index)
    case .phone(let index): 300 + UInt32(index)
    }
  }
}

enum NodeNames {
  /// `node-a`, `node-b`, …
  static func name(_ index: Int) -> String { "node-" + String(UnicodeScalar(UInt8(ascii: "a") + UInt8(index))) }
}

/// Two parties, in no order.
struct Pair: Hashable, Sendable {
  private let code: UInt32

  init(_ one: Party, _ other: Party) {
    let (low, high) = (min(one.code, other.code), max(one.code, other.code))
    code = low << 16 | high
  }
}

/// The addresses of the simulated hosts.
enum Addresses {
  static let port: UInt16 = 5060

  static func node(_ index: Int) -> SocketAddress { SocketAddress(ip: IPAddress(ipv4: 0x0A00_0001 + UInt32(index)), port: port) }
  static func provider(_ index: Int) -> SocketAddress { SocketAddress(ip: IPAddress(ipv4: 0xC000_0201 + UInt32(index)), port: port) }

  /// Who is there; nil: nobody.
  static func party(_ address: SocketAddress, nodes: Int, providers: Int) -> Party? {
    if let index = (0..<nodes).first(where: { node($0).ip == address.ip }) { return .node(index) }
    return (0..<providers).first { provider($0).ip == address.ip }.map { .provider($0) }
  }
}
