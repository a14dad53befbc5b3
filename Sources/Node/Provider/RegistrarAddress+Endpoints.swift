import Cryptography
import Endpoints
import PhoneContract
import Primitives
import SIP
import Store
import Switchboard

extension RegistrarAddress {
  init(_ target: ProbeBody.Target) {
    self.init(
      registrar: target.registrar, domain: target.domain ?? target.registrar, outboundProxy: target.outboundProxy,
      transport: Account.Transport(target.transport))
  }

  /// Whom a certificate must name (RFC 5922 §7, RFC 6125): the domain or the registrar that the user gave, never a name that DNS gave.
  var identity: ServerIdentity {
    ServerIdentity(
      serverName: [registrar, domain].first { IPAddress($0) == nil }, acceptedNames: [domain, registrar].filter { IPAddress($0) == nil },
      acceptedAddress: IPAddress(registrar) ?? IPAddress(domain))
  }
}

extension SIPDestination {
  /// With the transport that the user chose, if he did.
  init?(_ address: RegistrarAddress) {
    guard let uri = try? URI(address.uri[...]), let destination = SIPDestination(uri) else { return nil }
    self = destination
    switch address.transport {
    case .auto: isAuto = transport == nil && !isSecure
    case .tls: transport = .tls
    case .tcp: transport = .tcp
    case .udp: transport = .udp
    }
  }
}

extension AccountID {
  /// For those who tell accounts apart by a number.
  var number: UInt64 { bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } }
}
