import Primitives
import SIP

/// Calls that providers offer: INVITE, CANCEL, and what comes back.
extension World {
  mutating func beginCall(_ number: Int) {
    let leg = legs[number]
    let subscriber = providers[leg.provider].subscribers.first { $0.account == leg.account }
    let bindings = subscriber?.live(now) ?? []
    legs[number].beganAt = now
    legs[number].state = .calling
    story.tell(now, Party.provider(leg.provider), "call \(number) for \(subscriber?.user ?? "nobody"), \(bindings.count) bindings")
    guard !bindings.isEmpty else { return endCall(number, "nobody is registered") }
    for binding in bindings { invite(number, at: binding.contact, wire: binding.wire) }
    if leg.planned.isForked, let twin = twin(of: bindings[0].contact) { invite(number, at: twin, wire: nil) }
    if let patience = leg.planned.patience { queue.add(.caller(number, .hangsUp), at: now + patience) }
  }

  /// The same user at another node: the other way of a forked INVITE.
  private func twin(of contact: Bytes) -> Bytes? {
    guard let node = address(of: contact).flatMap({ party($0) })?.node else { return nil }
    let other = Addresses.node((node + 1) % nodes.count).text
    return Array(contact.text.replacing(Addresses.node(node).text, with: other).utf8)
  }

  private mutating func invite(_ number: Int, at contact: Bytes, wire: Int?) {
    guard let address = address(of: contact) else { return }
    let leg = legs[number]
    let sdp = leg.planned.hasOffer ? SessionText.make("call-\(number)") : []
    let request = MessageBuilder.request(.invite, uri: contact, body: sdp) { builder in
      head(&builder, leg, cseq: 1, method: "INVITE", tag: nil)
      builder.append(.contact) { $0.append(text: "<sip:caller@\(providers[leg.provider].address.text)\(self.parameter)>") }
      builder.append(.allow, "INVITE, ACK, CANCEL, BYE, OPTIONS, UPDATE, INFO")
      if leg.planned.hasTimer {
        builder.append(.supported, "timer")
        builder.append(.sessionExpires, "90")
      }
      if leg.planned.hasOffer { builder.append(.contentType, "application/sdp") }
    }
    legs[number].invite = request
    let flow = flow(to: address, preferring: wire, provider: leg.provider)
    let sentBy = Array(providers[leg.provider].address.text.utf8)
    let (id, actions) = providers[leg.provider].layer.send(request, over: flow, via: sentBy, now: now)
    providers[leg.provider].purposes[id] = .invite(leg: number)
    legs[number].branches.append(Leg.Branch(id: id, contact: contact))
    story.tell(now, Party.provider(leg.provider), "INVITE of call \(number) to \(host(contact))")
    perform(actions, provider: leg.provider)
  }

  var parameter: String { plan.shape.transport == .udp ? "" : ";transport=tcp" }

  func head(_ builder: inout MessageBuilder, _ leg: Leg, cseq: UInt32, method: String, tag: Bytes?) {
    builder.append(.maxForwards, "70")
    builder.append(.from) { $0.append(text: "\"Caller \(leg.number)\" <sip:\(leg.caller)@example.net>;tag=\(leg.fromTag)") }
    builder.append(.to) { $0.append(text: "<sip:user-\(leg.account + 1)@example.net>\(tag.map { ";tag=\($0.text)" } ?? "")") }
    builder.append(.callID) { $0.append(text: leg.callID) }
    builder.append(.cSeq) { $0.append(text: "\(cseq) \(method)") }
  }

  // MARK: The end before an answer

  mutating func callerHangsUp(_ number: Int) {
    guard legs[number].state == .calling else { return }
    story.tell(now, Party.provider(legs[number].provider), "the caller of call \(number) leaves")
    legs[number].wantsCancel = true
    cancelBranches(number)
    queue.add(.caller(number, .givesUp), at: now + TransactionTimers.giveUp)
  }

  /// Those that have said something (RFC 3261 §9.1).
  mutating func cancelBranches(_ number: Int) {
    let provider = legs[number].provider
    for index in legs[number].branches.indices {
      let branch = legs[number].branches[index]
      guard branch.final == nil, branch.triedAt != nil, !branch.isCancelled else { continue }
      legs[number].branches[index].isCancelled = true
      guard let (id, actions) = providers[provider].layer.cancel(branch.id, now: now) else { continue }
      providers[provider].purposes[id] = .cancel
      story.tell(now, Party.provider(provider), "CANCEL of call \(number) to \(host(branch.contact))")
      perform(actions, provider: provider)
    }
  }

  mutating func callerGivesUp(_ number: Int) {
    guard legs[number].state == .calling else { return }
    legs[number].isGivenUp = true
    endCall(number, "given up")
  }

  mutating func endCall(_ number: Int, _ why: String) {
    guard legs[number].state != .over else { return }
    legs[number].state = .over
    legs[number].endedAt = now
    legs[number].why = why
    story.tell(now, Party.provider(legs[number].provider), "call \(number) is over: \(why)")
  }

  // MARK: Responses

  /// Every response, also one that no transaction waits for.
  mutating func seen(_ response: Response, at index: Int) {
    guard let cseq = try? response.cseq, cseq.method == .invite, cseq.number == 1, response.status >= 200,
      let number = legNumber(try? response.callID), let branch = (try? response.topVia)?.branch
    else { return }
    if legs[number].isForgotten { return }
    ledger.finals.got(response, of: number, branch: Array(branch))
    if response.status < 300 { accepted(number, response) }
  }

  func legNumber(_ callID: Slice?) -> Int? {
    guard let text = callID?.text, text.hasPrefix("call-"), let number = Int(text.dropFirst(5)), legs.indices.contains(number) else {
      return nil
    }
    return number
  }

  mutating func answered(_ id: ClientTransactionID, _ response: Response, provider index: Int) {
    guard let purpose = providers[index].purposes[id] else { return }
    switch purpose {
    case .invite(let number): inviteAnswered(number, id, response)
    case .cancel: break
    case .inDialog(let number, let method): dialogAnswered(number, method, response)
    }
    if response.status >= 200, purpose.isOver(response) { providers[index].purposes[id] = nil }
  }

  private mutating func inviteAnswered(_ number: Int, _ id: ClientTransactionID, _ response: Response) {
    guard let place = legs[number].branches.firstIndex(where: { $0.id == id }), legs[number].branches[place].final == nil else { return }
    if response.status < 200 {
      legs[number].branches[place].triedAt = legs[number].branches[place].triedAt ?? now
      if response.status >= 180, !legs[number].branches[place].isRinging { rings(number, place) }
      if legs[number].wantsCancel || legs[number].state == .answered { cancelBranches(number) }
      return
    }
    story.tell(now, Party.provider(legs[number].provider), "call \(number) gets \(response.status)")
    legs[number].branches[place].final = response.status
    matchDeclines(of: legs[number].account)
    if response.status >= 300 { branchEnded(number, "refused with \(response.status)") }
  }

  private mutating func rings(_ number: Int, _ place: Int) {
    legs[number].branches[place].isRinging = true
    legs[number].rangAt = legs[number].rangAt ?? now
    story.tell(now, Party.provider(legs[number].provider), "call \(number) rings")
  }

  private mutating func branchEnded(_ number: Int, _ why: String) {
    guard legs[number].state == .calling, legs[number].branches.allSatisfy({ $0.final != nil }) else { return }
    endCall(number, why)
  }

  mutating func unanswered(_ id: ClientTransactionID, provider index: Int) {
    guard let purpose = providers[index].purposes.removeValue(forKey: id) else { return }
    switch purpose {
    case .invite(let number):
      guard let place = legs[number].branches.firstIndex(where: { $0.id == id }) else { return }
      legs[number].branches[place].final = 408
      branchEnded(number, "no answer")
    case .cancel: break
    case .inDialog(let number, let method): dialogUnanswered(number, method)
    }
  }
}

extension Provider.Purpose {
  /// A 2xx to an INVITE may come again.
  fileprivate func isOver(_ response: Response) -> Bool {
    switch self {
    case .invite, .inDialog(_, .invite): response.status >= 300
    default: true
    }
  }
}

/// Session descriptions, with a name in them.
enum SessionText {
  static func make(_ name: String) -> Bytes { Array(text(name).utf8) }

  static func text(_ name: String) -> String {
    "v=0\r\no=\(name) 7 1 IN IP4 192.0.2.9\r\ns=\(name)\r\nc=IN IP4 192.0.2.9\r\nt=0 0\r\nm=audio 4000 RTP/AVP 0 8\r\n"
  }

  /// What stands behind `s=`, also inside JSON.
  static func name(in bytes: some Collection<UInt8>) -> String? {
    let mark = Array("s=".utf8)
    let all = Array(bytes)
    var start = 0
    while start + 2 < all.count {
      if all[start] == mark[0], all[start + 1] == mark[1], start == 0 || all[start - 1] == 10 || all[start - 1] == UInt8(ascii: "n") {
        let name = all[(start + 2)...].prefix { $0 != 13 && $0 != 10 && $0 != UInt8(ascii: "\\") && $0 != UInt8(ascii: "\"") }
        return name.text
      }
      start += 1
    }
    return nil
  }
}
