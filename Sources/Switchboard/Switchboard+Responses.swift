import Primitives
import SIP
import Store

/// What the responses and requests of a call look like.
extension Switchboard {
  /// A response to the INVITE of a call. What makes or refreshes a dialog carries our Contact (RFC 3261 §12.1.1).
  func response(to call: Call, _ status: Int, sdp: Bytes?) -> Response {
    response(to: call.invite, status, toTag: call.localTag, sdp: sdp, account: call.account, flow: call.flow)
  }

  func response(
    to request: Request, _ status: Int, toTag: Bytes?, sdp: Bytes? = nil, account: AccountID, flow: Flow
  ) -> Response {
    Response.make(to: request, status: status, toTag: toTag, body: sdp ?? []) { builder in
      if (101..<300).contains(status) { builder.append(.contact, contact(account, flow.transport)) }
      if status == 200 { builder.appendCapabilities() }
      if sdp != nil { builder.append(.contentType, "application/sdp") }
    }
  }

  /// `<sip:TOKEN@ADDRESS;transport=…>`: TOKEN names the account to us and to nobody else.
  func contact(_ account: AccountID, _ transport: Transport) -> Bytes {
    var value = Bytes()
    value.append("<sip:")
    value.append(text: account.token)
    value.append("@")
    value.append(text: settings.contacts[transport]?.text ?? settings.serverName)
    switch transport {
    case .udp: break
    case .tcp: value.append(";transport=tcp")
    case .tls: value.append(";transport=tls")
    }
    value.append(">")
    return value
  }
}

extension MessageBuilder {
  /// What we understand (RFC 3261 §11.2, §20.5).
  mutating func appendCapabilities() {
    append(.allow, "INVITE, ACK, CANCEL, BYE, OPTIONS, UPDATE, INFO")
    append(.accept, "application/sdp")
    append(.supported, "timer")
  }
}
