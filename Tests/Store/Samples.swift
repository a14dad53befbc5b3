import Primitives
import Store
import Testing

extension AccountID {
  static func sample(_ number: UInt8) throws -> AccountID {
    try #require(AccountID(bytes: Bytes(repeating: number, count: 16)))
  }
}

extension DeviceID {
  static func sample(_ number: UInt8) throws -> DeviceID {
    try #require(DeviceID(Base64.urlSafe.encode(Bytes(repeating: number, count: 32))))
  }
}

extension CallID {
  static func sample(_ number: UInt64) -> CallID { CallID(number: number) }
}

extension MergeKey {
  /// One INVITE, or the copy of it that has another branch.
  static func sample(_ request: UInt8, branch: UInt8 = 1) -> MergeKey { MergeKey(request: [request], branch: [branch]) }
}

extension Credential {
  static let sample = Credential(realm: "example.net", algorithm: .md5, ha1: Bytes(repeating: 0xAB, count: 16))
  static let other = Credential(realm: "example.net", algorithm: .md5, ha1: Bytes(repeating: 0xCD, count: 16))
}

extension Device {
  static func sample(_ number: UInt8, token: String? = nil, active: Int64 = 0) throws -> Device {
    Device(
      id: try .sample(number), name: "phone \(number)", signKey: DeviceKey(kty: "OKP", crv: "Ed25519", x: "x\(number)"),
      sealKey: DeviceKey(kty: "OKP", crv: "X25519", x: "s\(number)"),
      push: .apns(token: token ?? "aa\(number)", topic: "com.example.voip", environment: .production), lastActive: .ms(active))
  }
}

extension Account {
  static func sample(_ number: UInt8 = 1, devices: [Device] = []) throws -> Account {
    Account(
      id: try .sample(number), registrar: "sip.example.net", user: "alice", domain: "example.net", credentials: [.sample], devices: devices)
  }
}

extension Holder {
  static func sample(_ node: String = "a", _ incarnation: UInt64 = 1) throws -> Holder {
    Holder(node: try #require(NodeID(node)), incarnation: incarnation)
  }
}

extension Fence {
  static func sample(_ node: String = "a", _ incarnation: UInt64 = 1, epoch: UInt64) throws -> Fence {
    Fence(holder: try .sample(node, incarnation), epoch: Epoch(number: epoch))
  }
}

extension NodeID {
  static func sample(_ name: String) throws -> NodeID { try #require(NodeID(name)) }
}
