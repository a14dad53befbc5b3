import Network
import Primitives
import SIP
import Testing

@testable import Endpoints

/// Name servers that answer from a table.
private struct Zone {
  var naptr: [String: [NAPTRRecord]] = [:]
  var srv: [String: [SRVRecord]] = [:]
  var addresses: [String: [String]] = [:]

  func reply(_ question: SIPLocator.Question) -> SIPLocator.Reply {
    switch question {
    case .naptr(let name): .naptr(naptr[name] ?? [])
    case .srv(let name): .srv(srv[name] ?? [])
    case .addresses(let name): .addresses((addresses[name] ?? []).compactMap { IPAddress($0) })
    }
  }

  /// What the locator says in the end, as `udp 192.0.2.1:5060`.
  func locate(_ destination: SIPDestination, seed: UInt64 = 1, usable: Set<Transport> = [.udp, .tcp, .tls]) -> [String] {
    var replies: [SIPLocator.Question: SIPLocator.Reply] = [:]
    for _ in 0..<8 {
      switch SIPLocator.step(destination, replies, usable: usable, random: SeededRandom(seed: seed)) {
      case .go(let targets): return targets.map { "\($0.transport) \($0.address.text)" }
      case .ask(let questions): for question in questions { replies[question] = reply(question) }
      }
    }
    return ["no end"]
  }

  func locate(_ uri: String) throws -> [String] {
    guard let destination = SIPDestination(try URI(Bytes(uri.utf8)[...])) else { return ["no destination"] }
    return locate(destination)
  }
}

private func srv(_ priority: UInt16, _ weight: UInt16, _ port: UInt16, _ target: String) -> SRVRecord {
  SRVRecord(priority: priority, weight: weight, port: port, target: target)
}

private func naptr(_ order: UInt16, _ service: String, _ replacement: String) -> NAPTRRecord {
  NAPTRRecord(order: order, preference: 0, flags: "S", service: service, regexp: "", replacement: replacement)
}

@Suite struct SIPLocatorTests {
  private let plain = Zone(addresses: ["example.org": ["192.0.2.1", "2001:db8::1"]])
  private let full = Zone(
    naptr: ["example.org": [naptr(10, "SIPS+D2T", "tls.example.org"), naptr(20, "SIP+D2U", "udp.example.org")]],
    srv: ["tls.example.org": [srv(0, 0, 5071, "a.example.org")], "udp.example.org": [srv(0, 0, 5070, "b.example.org")]],
    addresses: ["a.example.org": ["192.0.2.10"], "b.example.org": ["192.0.2.11"]])

  @Test(arguments: [
    ("sip:192.0.2.1", ["udp 192.0.2.1:5060"]), ("sips:192.0.2.1", ["tls 192.0.2.1:5061"]),
    ("sip:[2001:db8::1]:5070;transport=tcp", ["tcp [2001:db8::1]:5070"]), ("sip:192.0.2.1;transport=tls", ["tls 192.0.2.1:5061"]),
    ("sip:x@example.org:5080", ["udp 192.0.2.1:5080", "udp [2001:db8::1]:5080"]),
    ("sip:example.org;transport=TCP", ["tcp 192.0.2.1:5060", "tcp [2001:db8::1]:5060"]),
    ("sips:example.org;transport=tcp", ["tls 192.0.2.1:5061", "tls [2001:db8::1]:5061"]), ("sips:example.org;transport=udp", []),
    ("sip:example.org", ["udp 192.0.2.1:5060", "udp [2001:db8::1]:5060"]), ("sip:example.com", []),
    ("sip:example.com;maddr=192.0.2.9", ["udp 192.0.2.9:5060"]), ("sip:example.org;transport=sctp", ["no destination"]),
    ("tel:+4930123456", ["no destination"]),
  ])
  func whereThereAreOnlyAddresses(_ uri: String, _ targets: [String]) throws {
    #expect(try plain.locate(uri) == targets)
  }

  @Test func pointersSayTransportsInTheirOrder() throws {
    #expect(try full.locate("sip:example.org") == ["tls 192.0.2.10:5071", "udp 192.0.2.11:5070"])
    #expect(try full.locate("sips:example.org") == ["tls 192.0.2.10:5071"])
    #expect(full.locate(.init(host: "example.org"), usable: [.udp]) == ["udp 192.0.2.11:5070"])
  }

  @Test func servicesGoByPriority() {
    let zone = Zone(
      srv: ["_sip._udp.example.org": [srv(20, 0, 5060, "b"), srv(10, 0, 5062, "a"), srv(30, 0, 5060, "192.0.2.3")]],
      addresses: ["a": ["192.0.2.1"], "b": ["192.0.2.2"]])
    let targets = ["udp 192.0.2.1:5062", "udp 192.0.2.2:5060", "udp 192.0.2.3:5060"]
    #expect(zone.locate(.init(host: "example.org")) == targets)
    #expect(zone.locate(.init(host: "example.org", transport: .udp)) == targets)
    #expect(zone.locate(.init(host: "example.org", isAuto: true)) == targets)
  }

  @Test func weightsSpreadTheLoad() {
    let zone = Zone(srv: ["_sip._udp.x": [srv(1, 90, 5060, "192.0.2.1"), srv(1, 10, 5060, "192.0.2.2"), srv(1, 0, 5060, "192.0.2.3")]])
    let firsts = (0..<1000).map { zone.locate(.init(host: "x", transport: .udp), seed: $0).first ?? "" }
    let heavy = firsts.filter { $0.contains("192.0.2.1:") }.count
    #expect((850...950).contains(heavy))
    #expect(Set((0..<100).map { zone.locate(.init(host: "x", transport: .udp), seed: $0).count }) == [3])
  }

  @Test func theOrderOfAnAnswerDoesNotCount() {
    let records = [srv(1, 50, 5060, "192.0.2.1"), srv(1, 50, 5060, "192.0.2.2"), srv(1, 50, 5060, "192.0.2.3")]
    let one = Zone(srv: ["_sip._udp.x": records]).locate(.init(host: "x", transport: .udp), seed: 4)
    #expect(Zone(srv: ["_sip._udp.x": records.reversed()]).locate(.init(host: "x", transport: .udp), seed: 4) == one)
  }

  @Test func autoTakesTheSafestFirst() {
    #expect(
      plain.locate(.init(host: "example.org", isAuto: true)) == [
        "tls 192.0.2.1:5061", "tls [2001:db8::1]:5061", "tcp 192.0.2.1:5060", "tcp [2001:db8::1]:5060", "udp 192.0.2.1:5060",
        "udp [2001:db8::1]:5060",
      ])
    #expect(plain.locate(.init(host: "192.0.2.5", isAuto: true)).map { $0.prefix(3) } == ["tls", "tcp", "udp"])
    let zone = Zone(
      srv: ["_sip._tcp.x": [srv(1, 0, 5060, "192.0.2.1")], "_sips._tcp.x": [srv(1, 0, 5061, "192.0.2.1")]])
    #expect(zone.locate(.init(host: "x", isAuto: true)) == ["tls 192.0.2.1:5061", "tcp 192.0.2.1:5060"])
  }

  @Test func aServiceThatIsDeniedIsNotTried() {
    let zone = Zone(srv: ["_sip._udp.example.org": [srv(0, 0, 0, ".")]], addresses: ["example.org": ["192.0.2.1"]])
    #expect(zone.locate(.init(host: "example.org", transport: .udp)).isEmpty)
  }

  @Test func thereAreNeverTooManyTargets() {
    let zone = Zone(srv: ["_sip._udp.x": (0..<200).map { srv(1, 1, 5060, "192.0.2.\($0)") }])
    #expect(zone.locate(.init(host: "x", transport: .udp)).count == 16)
  }

  @Test func privateAddressesNeedPermission() throws {
    let policy = AddressPolicy()
    let special = [
      "127.0.0.1", "10.1.2.3", "192.168.1.1", "169.254.169.254", "::1", "fe80::1", "fd00::1", "::ffff:127.0.0.1", "224.0.0.1", "198.18.0.1",
      "198.19.255.255", "192.0.2.1", "198.51.100.7", "203.0.113.1", "192.88.99.1", "100::1", "2001::1", "2001:db8::1", "3fff::1", "fec0::1",
    ]
    for text in special {
      #expect(!policy.permits(try #require(IPAddress(text))), "\(text)")
    }
    for text in ["9.9.9.9", "198.17.255.255", "198.20.0.1", "2001:200::1", "2a00::1"] {
      #expect(policy.permits(try #require(IPAddress(text))), "\(text)")
    }
    let loopback = try #require(AddressRange("127.0.0.0/8"))
    #expect(AddressPolicy(allowed: [loopback]).permits(.loopbackIPv4))
  }
}
