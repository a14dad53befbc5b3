import Endpoints
import Network
import PhoneContract
import Primitives
import SIP

/// Which registrars a set-up may name: not those that only this server can reach (phone contract, `registrar-not-allowed`).
@LoopActor
final class RegistrarGate {
  private let sip: SIPEndpoint

  init(sip: SIPEndpoint) { self.sip = sip }

  /// nil: it may be contacted. A name that cannot be found now may be found later: then the set-up says `unreachable`.
  func admit(registrar: String, domain: String?, proxy: String?, _ completion: @escaping @LoopActor (Problem?) -> Void) {
    let next = proxy ?? registrar
    guard let destination = SIPDestination(registrar: next) else { return completion(.malformed(at: "/account/registrar")) }
    sip.locate(destination) { result in
      if case .failure(.notPermitted) = result { return completion(Problem(.registrarNotAllowed)) }
      completion(nil)
    }
  }
}

extension SIPDestination {
  /// A registrar as users write it: a host, `host:port`, or a SIP URI.
  init?(registrar text: String) {
    let uri = text.hasPrefix("sip:") || text.hasPrefix("sips:") ? text : "sip:" + text
    guard let uri = try? URI(Array(uri.utf8)[...]), var destination = SIPDestination(uri) else { return nil }
    destination.isAuto = destination.transport == nil && !destination.isSecure
    self = destination
  }
}
