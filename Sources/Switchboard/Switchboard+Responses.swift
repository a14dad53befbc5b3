import Primitives
import SIP
import Store

/// What the responses and requests of a call look like.
extension Switchboard {
  /// A response to the INVITE of a call. What makes or refreshes a dialog carries our Contact (RFC 3261 §12.1.1).
  func response(to call: Call, _ status: Int, sdp: Bytes?, timer: SessionTimer.Answer? = nil) -> Response {
    response(to: call.invite, status, toTag: call.localTag, sdp: sdp, timer: timer, account: call.account, flow: call.flow)
  }

  func response(
    to request: Request, _ status: Int, toTag: Bytes?, sdp: Bytes?, timer: SessionTimer.Answer?, account: AccountID, flow: Flow
  ) -> Response {
    Response.make(to: request, status: status, toTag: toTag, body: sdp ?? []) { builder in
      if (101..<300).contains(status) { builder.append(.contact, contact(account, flow.transport)) }
      if [200, 405, 501].contains(status) { builder.appendCapabilities() }
      if status == 420 { builder.append(unsupported: request.unknownOptions) }
      if status == 415 { builder.append(.accept, "application/sdp") }
      if case .accepted(let interval, let required) = timer { builder.append(interval, required: required) }
      if status == 422 { builder.append(.minSE) { $0.append(decimal: Self.minimumInterval) } }
      if sdp != nil { builder.append(.contentType, "application/sdp") }
    }
  }

  /// `<sip:TOKEN@ADDRESS;transport=…>`: TOKEN names the account to us and to nobody else.
  func contact(_ account: AccountID, _ transport: Transport) -> Bytes {
    var value = Bytes()
    value.append("<sip:")
    value.append(contentsOf: account.token)
    value.append("@")
    value.append(text: settings.contacts[transport]?.text ?? settings.serverName)
    switch transport {
    case .udp: value.append(";transport=udp")
    case .tcp: value.append(";transport=tcp")
    case .tls: value.append(";transport=tls")
    }
    value.append(">")
    return value
  }
}

extension MessageBuilder {
  /// RFC 4028 §9.
  fileprivate mutating func append(_ interval: SessionExpires?, required: Bool) {
    guard let interval else { return }
    append(.sessionExpires) { $0.append(interval) }
    if required { append(.require, "timer") }
  }

  /// What we understand (RFC 3261 §11.2, §20.5).
  mutating func appendCapabilities() {
    append(.allow, "INVITE, ACK, CANCEL, BYE, OPTIONS, UPDATE, INFO")
    append(.accept, "application/sdp")
    append(.supported, "timer")
  }
}

extension Bytes {
  /// `1800;refresher=uas`
  mutating func append(_ interval: SessionExpires) {
    append(decimal: interval.seconds)
    switch interval.refresher {
    case .uac: append(";refresher=uac")
    case .uas: append(";refresher=uas")
    case nil: break
    }
  }
}

extension AccountID {
  /// The user part of our Contact: the account's id is a keyed hash and tells nobody anything.
  var token: Bytes { Array(description.utf8) }

  /// The account that a Request-URI's user part names.
  init?(token: some Collection<UInt8>) {
    guard let bytes = Hex.decode(token) else { return nil }
    self.init(bytes: bytes)
  }
}
