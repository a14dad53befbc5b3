import Primitives
import SIP

/// Calls that were answered: ACK, BYE, refreshes, and what comes from our side.
extension World {
  /// A 2xx to the INVITE, the first or a repetition, wherever it comes from (RFC 3261 §13.2.2.4).
  mutating func accepted(_ number: Int, _ response: Response) {
    guard let tag = (try? response.toTag).flatMap({ $0 }), let contact = (try? response.contacts)?.first?.uri else { return }
    let isFirst = legs[number].state == .calling && !legs[number].isGivenUp
    if isFirst { begun(number, response, tag: Array(tag), target: Array(contact)) }
    let isOurs = legs[number].remoteTag.elementsEqual(tag)
    let toEach = plan.shape.acknowledgesToEach || !isOurs
    acknowledge(number, tag: Array(tag), target: toEach ? Array(contact) : legs[number].target)
    // Nobody is there any more, or another way of the call was faster (§13.2.2.4).
    if !isOurs || legs[number].isGivenUp { bye(number, tag: Array(tag), target: Array(contact)) }
  }

  private mutating func begun(_ number: Int, _ response: Response, tag: Bytes, target: Bytes) {
    legs[number].state = .answered
    legs[number].answeredAt = now
    legs[number].remoteTag = tag
    legs[number].target = target
    legs[number].answeredBy = SessionText.name(in: response.message.body)
    story.tell(
      now, Party.provider(legs[number].provider), "call \(number) is answered by \(legs[number].answeredBy ?? "?") from \(host(target))")
    ledger.winners.answered(number, by: legs[number].answeredBy)
    cancelBranches(number)
    let planned = legs[number].planned
    // Everybody else has said goodbye.
    if case .parting = ending { queue.add(.caller(number, .hangsUp), at: now + .seconds(1)) }
    if let talk = planned.callerTalks { queue.add(.caller(number, .hangsUp), at: now + talk) }
    if let pause = planned.refreshesAfter { queue.add(.caller(number, .refreshes), at: now + pause) }
    if let pause = planned.asksAfter { queue.add(.caller(number, .asks), at: now + pause) }
  }

  private mutating func acknowledge(_ number: Int, tag: Bytes, target: Bytes, cseq: UInt32 = 1) {
    let body = legs[number].planned.hasOffer || cseq > 1 ? [] : SessionText.make("call-\(number)")
    legs[number].acknowledged += 1
    send(.ack, number, cseq: cseq, tag: tag, target: target, body: body)
  }

  mutating func bye(_ number: Int, tag: Bytes, target: Bytes) {
    legs[number].cseq += 1
    send(.bye, number, cseq: legs[number].cseq, tag: tag, target: target, body: [])
  }

  /// The caller hangs up, or the provider asks something.
  mutating func caller(_ number: Int, _ step: CallerStep) {
    if case .mourns = step {
      if !legs[number].isHungUpByUs, !legs[number].isForgotten { ledger.calls.forgotten(number, legs[number].why) }
      return
    }
    guard legs[number].state == .answered else {
      switch step {
      case .hangsUp: return callerHangsUp(number)
      case .givesUp: return callerGivesUp(number)
      default: return
      }
    }
    switch step {
    case .hangsUp:
      story.tell(now, Party.provider(legs[number].provider), "the caller of call \(number) hangs up")
      bye(number, tag: legs[number].remoteTag, target: legs[number].target)
      endCall(number, "the caller has hung up")
    case .refreshes: inDialog(.invite, number, body: SessionText.make("call-\(number)"))
    case .asks: inDialog(.options, number, body: [])
    case .givesUp, .mourns: break
    }
  }

  private mutating func inDialog(_ method: SIP.Method, _ number: Int, body: Bytes) {
    legs[number].cseq += 1
    send(method, number, cseq: legs[number].cseq, tag: legs[number].remoteTag, target: legs[number].target, body: body)
  }

  private mutating func send(_ method: SIP.Method, _ number: Int, cseq: UInt32, tag: Bytes, target: Bytes, body: Bytes) {
    guard let address = address(of: target) else { return }
    let leg = legs[number]
    let request = MessageBuilder.request(method, uri: target, body: body) { builder in
      head(&builder, leg, cseq: cseq, method: method.bytes.text, tag: tag)
      if method == .invite || method == .update {
        builder.append(.contact) { $0.append(text: "<sip:caller@\(providers[leg.provider].address.text)\(self.parameter)>") }
      }
      if !body.isEmpty { builder.append(.contentType, "application/sdp") }
    }
    let flow = flow(to: address, preferring: nil, provider: leg.provider)
    let sentBy = Array(providers[leg.provider].address.text.utf8)
    let (id, actions) = providers[leg.provider].layer.send(request, over: flow, via: sentBy, now: now)
    if method == .bye { legs[number].byeWire = providers[leg.provider].wires[flow.connection] }
    if method != .ack {
      providers[leg.provider].purposes[id] = .inDialog(leg: number, method)
      story.tell(now, Party.provider(leg.provider), "\(method.bytes.text) in call \(number) to \(host(target))")
    }
    perform(actions, provider: leg.provider)
  }

  // MARK: Outcomes

  mutating func dialogAnswered(_ number: Int, _ method: SIP.Method, _ response: Response) {
    guard response.status >= 200 else { return }
    if method == .invite, response.status < 300, let cseq = try? response.cseq.number {
      acknowledge(number, tag: legs[number].remoteTag, target: legs[number].target, cseq: cseq)
    }
    guard response.status == 481 || response.status == 408, method != .bye, legs[number].state == .answered else { return }
    endCall(number, "\(method.bytes.text) got \(response.status)")
    // Perhaps our BYE is on its way.
    guard phones.contains(where: { $0.mode == .talking(call: number) }) else { return }
    queue.add(.caller(number, .mourns), at: now + .seconds(3))
  }

  /// It went to a node that is gone: whoever has the call now tells where it is.
  mutating func dialogUnanswered(_ number: Int, _ method: SIP.Method) {
    story.tell(now, Party.provider(legs[number].provider), "no answer to \(method.bytes.text) in call \(number)")
    // Nobody repeats a request that went into a connection, and nobody hears of its loss (RFC 3261 §17.1.2.1).
    guard method == .bye, let wire = legs[number].byeWire, !wires[wire].isOpen(atServer: true) || !wires[wire].isOpen(atServer: false)
    else { return }
    legs[number].isForgotten = true
  }

  // MARK: From our side

  mutating func answer(_ request: Request, provider index: Int) -> Response? {
    guard let number = legNumber(try? request.callID), legs[number].provider == index,
      legs[number].state == .answered || request.method == .bye,
      (try? request.fromTag).flatMap({ $0 }).map({ legs[number].remoteTag.elementsEqual($0) }) == true,
      let cseq = try? request.cseq.number
    else { return .make(to: request, status: 481, toTag: Array("none".utf8)) }
    if request.method == .ack { return nil }
    guard cseq >= legs[number].remoteCSeq else { return .make(to: request, status: 500, toTag: nil) }
    legs[number].remoteCSeq = cseq
    story.tell(now, Party.provider(index), "gets \(request.method.bytes.text) in call \(number)")
    switch request.method {
    case .bye:
      legs[number].isHungUpByUs = true
      endCall(number, "our side has hung up")
    case .invite, .update:
      if let contact = (try? request.contacts)?.first?.uri { legs[number].target = Array(contact) }
    default: break
    }
    return accept(request, number, index)
  }

  private func accept(_ request: Request, _ number: Int, _ index: Int) -> Response {
    let body = request.method == .invite ? SessionText.make("call-\(number)") : []
    return .make(to: request, status: 200, toTag: nil, body: body) { builder in
      if request.method == .invite || request.method == .update {
        builder.append(.contact) { $0.append(text: "<sip:caller@\(providers[index].address.text)\(self.parameter)>") }
        builder.append(.allow, "INVITE, ACK, CANCEL, BYE, OPTIONS, UPDATE, INFO")
        if let interval = request.message.value(.sessionExpires) { builder.append(.sessionExpires, interval) }
      }
      if !body.isEmpty { builder.append(.contentType, "application/sdp") }
    }
  }
}
