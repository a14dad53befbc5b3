internal import Network
internal import Primitives
internal import SIP

/// One walk through the records.
struct SIPSearch {
  let replies: [SIPLocator.Question: SIPLocator.Reply]
  var random: SeededRandom
  private(set) var missing: Set<SIPLocator.Question> = []

  init(replies: [SIPLocator.Question: SIPLocator.Reply], random: SeededRandom) {
    self.replies = replies
    self.random = random
  }

  mutating func targets(_ wanted: SIPDestination, _ usable: Set<Transport>) -> [Target] {
    let host = wanted.host.withoutBrackets
    let choices = transports(wanted).filter(usable.contains)
    // §4.1: the transport of an address, or where a port is given, comes from the URI alone; so does §4.2's port.
    if let address = IPAddress(host) {
      return choices.flatMap { at([address], $0, wanted.port) }
    }
    if let port = wanted.port {
      let found = addresses(host)
      return choices.flatMap { at(found, $0, port) }
    }
    if wanted.transport != nil { return choices.flatMap { byService(host, $0) } }
    return byRecords(host, wanted, usable) ?? withoutRecords(host, choices)
  }

  /// Which transports come into question, the best first, when no record speaks.
  private func transports(_ wanted: SIPDestination) -> [Transport] {
    if wanted.isSecure { return wanted.transport == .udp ? [] : [.tls] }
    if let transport = wanted.transport { return [transport] }
    if wanted.isAuto { return wanted.port == Transport.tls.defaultPort ? [.tls] : [.tls, .tcp, .udp] }
    return [.udp]
  }

  // MARK: Records

  /// §4.1: NAPTR, then SRV of each transport. nil where there is neither.
  private mutating func byRecords(_ host: String, _ wanted: SIPDestination, _ usable: Set<Transport>) -> [Target]? {
    guard let pointers = naptr(host) else { return [] }
    let services = pointers.prefix(SIPLocator.limit).compactMap { pointer -> (Transport, String)? in
      guard pointer.flags.lowercased() == "s", let transport = Self.transport(of: pointer.service), usable.contains(transport),
        transport == .tls || !wanted.isSecure
      else { return nil }
      return (transport, pointer.replacement)
    }
    let pointed = services.flatMap { records(of: $1, $0) ?? [] }
    if !pointed.isEmpty || !missing.isEmpty { return pointed }
    let order: [Transport] = wanted.isSecure ? [.tls] : [.tls, .tcp, .udp]
    let found = order.filter(usable.contains).map { records(of: Self.service($0, host), $0) }
    return found.allSatisfy { $0 == nil } && missing.isEmpty ? nil : found.flatMap { $0 ?? [] }
  }

  private mutating func withoutRecords(_ host: String, _ choices: [Transport]) -> [Target] {
    let found = addresses(host)
    return choices.flatMap { at(found, $0, nil) }
  }

  /// SRV for one transport, and the host itself where there is none.
  private mutating func byService(_ host: String, _ transport: Transport) -> [Target] {
    if let targets = records(of: Self.service(transport, host), transport) { return targets }
    return missing.isEmpty ? at(addresses(host), transport, nil) : []
  }

  /// nil where there are no SRV records. A target of "." says that there is no such service (RFC 2782).
  private mutating func records(of service: String, _ transport: Transport) -> [Target]? {
    guard let services = srv(service), !services.isEmpty else { return nil }
    return ordered(services).filter { $0.target != "." && !$0.target.isEmpty }.flatMap {
      at(addresses($0.target), transport, $0.port)
    }
  }

  /// RFC 2782: by priority; within one, again and again one of the rest by weight.
  private mutating func ordered(_ records: [SRVRecord]) -> [SRVRecord] {
    var rest = Array(records.prefix(SIPLocator.limit * 2))
    // The answer's order must not count: it differs from one answer to the next.
    rest.sort { ($0.priority, $0.weight, $0.target, $0.port) < ($1.priority, $1.weight, $1.target, $1.port) }
    var ordered: [SRVRecord] = []
    while let priority = rest.first?.priority {
      let group = rest.prefix { $0.priority == priority }
      var point = Int.random(in: 0...group.reduce(0) { $0 + Int($1.weight) }, using: &random)
      let chosen = group.firstIndex { record in
        point -= Int(record.weight)
        return point <= 0
      }
      ordered.append(rest.remove(at: chosen ?? 0))
    }
    return ordered
  }

  private func at(_ addresses: [IPAddress], _ transport: Transport, _ port: UInt16?) -> [Target] {
    addresses.map { Target(transport: transport, address: SocketAddress(ip: $0, port: port ?? transport.defaultPort)) }
  }

  // MARK: Replies

  private mutating func naptr(_ name: String) -> [NAPTRRecord]? {
    guard case .naptr(let records)? = reply(.naptr(name)) else { return nil }
    return records
  }

  private mutating func srv(_ name: String) -> [SRVRecord]? {
    guard case .srv(let records)? = reply(.srv(name)) else { return nil }
    return records
  }

  private mutating func addresses(_ name: String) -> [IPAddress] {
    if let literal = IPAddress(name) { return [literal] }
    guard case .addresses(let found)? = reply(.addresses(name)) else { return [] }
    return found
  }

  private mutating func reply(_ question: SIPLocator.Question) -> SIPLocator.Reply? {
    if let reply = replies[question] { return reply }
    missing.insert(question)
    return nil
  }

  private static func transport(of service: String) -> Transport? {
    switch service.uppercased() {
    case "SIPS+D2T": .tls
    case "SIP+D2T": .tcp
    case "SIP+D2U": .udp
    default: nil
    }
  }

  private static func service(_ transport: Transport, _ host: String) -> String {
    switch transport {
    case .udp: "_sip._udp.\(host)"
    case .tcp: "_sip._tcp.\(host)"
    case .tls: "_sips._tcp.\(host)"
    }
  }
}

extension String {
  fileprivate var withoutBrackets: String { hasPrefix("[") && hasSuffix("]") ? String(dropFirst().dropLast()) : self }
}
