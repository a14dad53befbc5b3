import Primitives
import SIP
import Store

/// RFC 3261 §10.3.
extension World {
  mutating func registered(_ request: Request, _ flow: Flow, at index: Int) -> Response {
    let tag = providers[index].random.token(10)
    guard let user = (try? URI(request.to.uri))?.unescapedUser?.text,
      let place = providers[index].subscribers.firstIndex(where: { $0.user == user })
    else { return .make(to: request, status: 404, toTag: tag) }
    guard isAuthorized(request, index, place) else { return challenge(request, tag, index, place) }
    guard let id = try? request.callID, let number = try? request.cseq.number, let contacts = try? request.contacts else {
      return .make(to: request, status: 400, toTag: tag)
    }
    let known = providers[index].subscribers[place].bindings
    for contact in contacts {
      if let old = known.first(where: { $0.contact.elementsEqual(contact.uri) }), old.callID.elementsEqual(id), number <= old.cseq {
        return .make(to: request, status: 500, toTag: tag)
      }
    }
    for contact in contacts { bind(contact, Array(id), number, flow, request, index, place) }
    return granted(request, tag, index, place)
  }

  private mutating func isAuthorized(_ request: Request, _ index: Int, _ place: Int) -> Bool {
    guard let value = request.message.value(.authorization) else { return false }
    return providers[index].subscribers[place].takes(value, method: "REGISTER")
  }

  private mutating func challenge(_ request: Request, _ tag: Bytes, _ index: Int, _ place: Int) -> Response {
    let isStale = request.message.has(.authorization)
    let nonce = providers[index].random.token(16).text
    providers[index].subscribers[place].nonce = nonce
    providers[index].subscribers[place].nonceCount = 0
    let domain = providers[index].subscribers[place].domain
    let value = "Digest realm=\"\(domain)\", nonce=\"\(nonce)\", qop=\"auth\", algorithm=MD5\(isStale ? ", stale=true" : "")"
    return .make(to: request, status: 401, toTag: tag) { $0.append(.wwwAuthenticate, Array(value.utf8)) }
  }

  private mutating func bind(
    _ contact: NameAddress, _ id: Bytes, _ number: UInt32, _ flow: Flow, _ request: Request, _ index: Int, _ place: Int
  ) {
    let seconds = contact.parameters["expires"]?.decimal(as: UInt32.self) ?? 600
    let subscriber = providers[index].subscribers[place]
    providers[index].subscribers[place].bindings = subscriber.live(now).filter { !$0.contact.elementsEqual(contact.uri) }
    story.tell(
      now, Party.provider(index), "\(subscriber.user) \(seconds == 0 ? "is no more at" : "is at") \(host(Array(contact.uri)))")
    guard seconds > 0 else { return }
    providers[index].subscribers[place].bindings.append(
      Subscriber.Binding(
        contact: Array(contact.uri), until: now + .seconds(Int64(min(seconds, 3600))), callID: id, cseq: number,
        wire: providers[index].wires[flow.connection]))
  }

  private func granted(_ request: Request, _ tag: Bytes, _ index: Int, _ place: Int) -> Response {
    .make(to: request, status: 200, toTag: tag) { builder in
      for binding in providers[index].subscribers[place].live(now) {
        builder.append(.contact) {
          $0.append("<")
          $0.append(contentsOf: binding.contact)
          $0.append(">;expires=")
          $0.append(decimal: (binding.until - now).wholeMilliseconds / 1000)
        }
      }
    }
  }

  /// The node at the address of a Contact.
  func host(_ contact: Bytes) -> String {
    guard let address = address(of: contact), let party = party(address) else { return "nowhere" }
    return party.name
  }

  func address(of uri: Bytes) -> SocketAddress? {
    guard let uri = try? URI(uri[...]), let ip = uri.host.flatMap({ IPAddress($0) }) else { return nil }
    return SocketAddress(ip: ip, port: uri.port ?? Addresses.port)
  }
}
