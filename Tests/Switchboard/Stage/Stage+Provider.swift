import Primitives
import SIP
import Store

@testable import Switchboard

/// The provider that calls.
extension Stage {
  static var providerFlow: Flow { flow(from: providerAddress) }

  static func flow(from address: String, over transport: Transport = .udp) -> Flow {
    let unknown = SocketAddress(ip: .loopbackIPv4, port: 0)
    return Flow(transport: transport, local: SocketAddress(ourAddress) ?? unknown, remote: SocketAddress(address) ?? unknown)
  }

  /// What may be different about an INVITE.
  struct Invitation {
    var user: String?
    var source = Stage.providerAddress
    var transport = Transport.udp
    var to = "alice"
    /// Another way of the same INVITE (a fork).
    var copyOf: String?
    var sdp: String? = Leg.sdp("caller")
    var body: (type: String, text: String)?
    var fields: [(String, String)] = []
    var contact: String? = "<sip:ann@192.0.2.7:5070>"
  }

  mutating func invite(_ name: String, _ what: Invitation = Invitation()) throws {
    let twin = what.copyOf.flatMap { legs[$0] }
    var leg = Leg(
      callID: twin?.callID ?? "call-\(name)", branch: "z9hG4bK-\(name)-\(lastRequest)", fromTag: twin?.fromTag ?? "f-\(name)",
      sdp: what.sdp, source: what.source, transport: what.transport, to: what.to)
    lastRequest += 1
    var draft = Draft(method: "INVITE", uri: "sip:\(what.user ?? Stage.account.description)@\(Self.ourAddress)")
    draft.fields = head("INVITE", leg, branch: leg.branch) + what.fields
    if let contact = what.contact { draft.fields.append(("Contact", contact)) }
    draft.body = what.body?.text ?? what.sdp ?? ""
    draft.bodyType = what.body?.type ?? "application/sdp"
    let request = try draft.request
    leg.invite = request
    leg.firstNode = node
    legs[name] = leg
    receive(request, from: what.source, over: what.transport)
  }

  /// The INVITE as it was sent before.
  mutating func repeatInvite(_ name: String) {
    guard let leg = legs[name], let invite = leg.invite, !isCluster || leg.responses.isEmpty else { return }
    if !leg.firstNode.isEmpty, !nodes.contains(leg.firstNode) { return }
    at(leg.firstNode)
    receive(invite, from: leg.source)
  }

  mutating func cancel(_ name: String, fields: [(String, String)] = []) throws {
    guard let leg = legs[name], let invite = leg.invite else { return }
    var draft = Draft(method: "CANCEL", uri: invite.uri.text)
    draft.fields = head("CANCEL", leg, branch: leg.branch) + fields
    receive(try draft.request, from: leg.source, for: leg)
  }

  /// The ACK to the 200 of the INVITE, or of the re-INVITE with this CSeq.
  mutating func ack(_ name: String, cseq: Int = 1, sdp: String? = nil) throws {
    try request("ACK", name, cseq: cseq, body: sdp)
  }

  /// A request inside the dialog.
  mutating func request(
    _ method: String, _ name: String, cseq: Int? = nil, tag: String? = nil, fields: [(String, String)] = [], body: String? = nil,
    bodyType: String = "application/sdp"
  ) throws {
    guard var leg = legs[name] else { return }
    if method != "ACK", cseq == nil { leg.cseq += 1 }
    if method == "BYE" { leg.isOver = true }
    legs[name] = leg
    if let tag { leg.fromTag = tag }
    leg.cseq = cseq ?? leg.cseq
    var draft = Draft(method: method, uri: "sip:\(Stage.account)@\(Self.ourAddress)")
    draft.fields = head(method, leg, branch: "z9hG4bK-\(method)-\(name)-\(lastRequest)", inDialog: true) + fields
    if method == "INVITE" || method == "UPDATE" { draft.fields.append(("Contact", "<sip:ann@192.0.2.7:5070>")) }
    draft.body = body ?? ""
    draft.bodyType = bodyType
    lastRequest += 1
    receive(try draft.request, from: leg.source, for: leg)
  }

  /// A request outside any dialog.
  mutating func stray(_ method: String, from source: String = Stage.providerAddress, fields: [(String, String)] = []) throws {
    let leg = Leg(callID: "stray-\(lastRequest)", branch: "", fromTag: "s")
    var draft = Draft(method: method, uri: "sip:\(Self.ourAddress)")
    draft.fields = head(method, leg, branch: "z9hG4bK-stray-\(lastRequest)") + fields
    lastRequest += 1
    receive(try draft.request, from: source)
  }

  private func head(_ method: String, _ leg: Leg, branch: String, inDialog: Bool = false) -> [(String, String)] {
    let tag = inDialog ? leg.toTag.map { ";tag=\($0)" } ?? "" : ""
    return [
      ("Via", "SIP/2.0/UDP \(leg.source);branch=\(branch)"), ("Max-Forwards", "70"),
      ("From", "\"Ann\" <sip:+4930123456@example.net>;tag=\(leg.fromTag)"), ("To", "<sip:\(leg.to)@example.net>\(tag)"),
      ("Call-ID", leg.callID), ("CSeq", "\(leg.cseq) \(method)"),
    ]
  }

  /// At the node that the call last came from, else wherever the provider finds one.
  mutating func receive(_ request: Request, from source: String, over transport: Transport = .udp, for leg: Leg? = nil) {
    if let home = leg?.node { at(home) }
    tell("\(request.method.bytes.text) \((try? request.callID)?.text ?? "")")
    perform(layer.received(request, from: Self.flow(from: source, over: leg?.transport ?? transport), now: now))
    settle()
  }

  // MARK: What it gets

  mutating func providerGot(response bytes: Bytes) {
    let isRepeated = !seen.insert(bytes).inserted
    let isProvisional = bytes.starts(with: Array("SIP/2.0 1".utf8))
    guard !isRepeated || isProvisional else { return }
    guard case .response(let response)? = try? MessageParser.parse(bytes), let id = (try? response.callID)?.text else { return }
    let name = legs.filter { $0.value.callID == id && isAnswer(response, to: $0.value) }.keys.min()
    if let name {
      legs[name]?.responses.append(response)
      legs[name]?.node = node
      if response.status < 300 || legs[name]?.toTag == nil, let tag = (try? response.toTag) ?? nil { legs[name]?.toTag = tag.text }
    }
    if isWriting { write("\(provider(name)) < \(Transcript.text(response))") }
    if response.status >= 300, (try? response.cseq.method) == .invite { acknowledgeRefusal(response, name) }
  }

  /// Two ways of one INVITE share the Call-ID, but not the branch.
  private func isAnswer(_ response: Response, to leg: Leg) -> Bool {
    guard let cseq = try? response.cseq, cseq.number == 1, cseq.method == .invite || cseq.method == .cancel else { return true }
    return ((try? response.topVia)?.branch ?? nil)?.text == leg.branch
  }

  private mutating func acknowledgeRefusal(_ response: Response, _ name: String?) {
    guard let via = response.message.value(.via), let to = response.message.value(.to), let from = response.message.value(.from),
      let id = response.message.value(.callID), let number = (try? response.cseq)?.number
    else { return }
    var draft = Draft(method: "ACK", uri: "sip:\(Stage.account)@\(Self.ourAddress)")
    draft.fields = [
      ("Via", via.text), ("Max-Forwards", "70"), ("From", from.text), ("To", to.text), ("Call-ID", id.text), ("CSeq", "\(number) ACK"),
    ]
    guard let ack = try? draft.request else { return }
    perform(layer.received(ack, from: Self.flow(from: name.flatMap { legs[$0]?.source } ?? Self.providerAddress), now: now))
  }

  mutating func providerGot(request bytes: Bytes) {
    guard seen.insert(bytes).inserted || bytes.starts(with: Array("REGISTER".utf8)) else { return }
    guard case .request(let request)? = try? MessageParser.parse(bytes), let id = (try? request.callID)?.text else { return }
    if request.method == .register { return registrarGot(request) }
    let tag = (try? request.fromTag)?.text
    let own = legs.filter { $0.value.callID == id && $0.value.toTag == tag }.keys.min()
    let name = own ?? legs.filter { $0.value.callID == id }.keys.min()
    if let name { legs[name]?.requests.append(request) }
    if let name { legs[name]?.node = node }
    if request.method != .ack { openRequests[id] = (request, node) }
    if isWriting { write("\(provider(name)) < \(Transcript.text(request))") }
  }

  /// The provider answers our last request in the call.
  mutating func reply(_ status: Int, _ name: String, fields: [(HeaderName, String)] = [], body: String? = nil) {
    guard let id = legs[name]?.callID, let (request, sender) = openRequests[id], nodes.contains(sender) || !isCluster else { return }
    let response = Response.make(to: request, status: status, toTag: nil, body: Array((body ?? "").utf8)) { builder in
      for (name, value) in fields { builder.append(name, Array(value.utf8)) }
      if body != nil { builder.append(.contentType, "application/sdp") }
    }
    tell("reply \(status) in \(name)")
    if status >= 200 { openRequests[id] = nil }
    if status == 481 || status == 408 { legs[name]?.isOver = true }
    at(sender) { $0.inputs.append(.received(response)) }
  }

  private func provider(_ name: String?) -> String { name.map { $0 == "1" ? "provider" : "provider(\($0))" } ?? "provider" }
}
