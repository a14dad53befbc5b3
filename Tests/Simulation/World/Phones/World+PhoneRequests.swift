import PhoneContract
import Primitives

/// A phone's requests: to one node, and where that fails to the next one.
extension World {
  mutating func ask(_ index: Int, _ request: PhoneRequest, hasKey: Bool, patience: Duration) {
    let key = hasKey ? phones[index].newKey() : nil
    phones[index].open = Phone.Open(request: request, key: key, since: now, patience: patience)
    sendAgain(index)
  }

  mutating func sendAgain(_ index: Int) {
    guard var open = phones[index].open, open.wire < 0 else { return }
    phones[index].lastSerial += 1
    open.serial = phones[index].lastSerial
    let wire = self.open(.phone(index), .node(phones[index].node))
    open.wire = wire
    phones[index].open = open
    let phone = phones[index]
    story.tell(now, Party.phone(index), "asks \(Party.node(phone.node).name): \(open.request.word)")
    let ask = PhoneAsk(serial: open.serial, device: phone.device, account: phone.accountID, request: open.request, key: open.key)
    send(.phoneAsks(ask), over: wire, fromServer: false)
    queue.add(.phoneTired(index, ask: open.serial), at: now + open.request.longestWait)
  }

  /// Nobody is interested in the answer any more.
  mutating func giveUp(_ index: Int) {
    guard let open = phones[index].open else { return }
    phones[index].open = nil
    if open.wire >= 0 { close(open.wire, atServer: false) }
  }

  mutating func phoneTired(_ index: Int, ask: Int) {
    guard let open = phones[index].open, open.serial == ask, open.wire >= 0 else { return }
    close(open.wire, atServer: false)
    failed(index, "no answer")
  }

  mutating func phoneLost(_ wire: Int, at index: Int) {
    guard phones[index].open?.wire == wire else { return }
    failed(index, "the connection broke")
  }

  /// The next node, in a moment.
  private mutating func failed(_ index: Int, _ why: String) {
    guard let open = phones[index].open else { return }
    story.tell(now, Party.phone(index), "\(open.request.word): \(why)")
    phones[index].open?.wire = -1
    phones[index].node = (phones[index].node + 1) % nodes.count
    guard now - open.since < open.patience else { return despair(index) }
    later(index, .triesAgain, in: phones[index].think(100...700))
  }

  private mutating func despair(_ index: Int) {
    guard let open = phones[index].open else { return }
    if case .setUp = open.request { return later(index, .setsUp, in: .seconds(2)) }
    rest(index, "no node serves \(open.request.word)")
  }

  // MARK: Answers

  mutating func phoneHears(_ status: Int, _ body: Bytes, over wire: Int, at index: Int) {
    guard let open = phones[index].open, open.wire == wire else { return }
    close(wire, atServer: false)
    if status == 503 || status == 429 || status == 401 { return failed(index, "\(status)") }
    story.tell(now, Party.phone(index), "\(open.request.word): \(status)")
    phones[index].open = nil
    if status == 404, phones[index].isSetUp, body.text.contains("not-set-up") { return notSetUp(index) }
    heard(open.request, status, body, at: index)
  }

  private mutating func notSetUp(_ index: Int) {
    rest(index, "not set up")
    phones[index].isSetUp = false
    phones[index].mode = .unknown
    later(index, .setsUp, in: phones[index].think(100...1000))
  }

  private mutating func heard(_ request: PhoneRequest, _ status: Int, _ body: Bytes, at index: Int) {
    switch request {
    case .setUp:
      guard status == 200 else { return later(index, .setsUp, in: .seconds(1)) }
      phones[index].isSetUp = true
      if phones[index].mode == .unknown { phones[index].mode = .idle }
    case .fetch: fetched(index, status, body)
    case .decline:
      if status == 204 { declines[phones[index].account, default: []].append(Decline(phone: index, announced: phones[index].call)) }
      matchDeclines(of: phones[index].account)
      rest(index, "declined")
    case .answer: answered(index, status)
    case .status: statusRead(index, status, body)
    case .hangUp: rest(index, "hung up")
    default: break
    }
  }

  private mutating func fetched(_ index: Int, _ status: Int, _ body: Bytes) {
    guard status == 200 else { return rest(index, "nothing to fetch") }
    // Without an offer nothing in it tells which call it is.
    phones[index].fetched = SessionText.name(in: body).flatMap { Int($0.dropFirst("call-".count)) }
    guard let call = phones[index].fetched ?? phones[index].call else { return }
    phones[index].mode = .fetched(call: call)
    later(index, .answers, in: phones[index].think(50...2500))
  }

  private mutating func answered(_ index: Int, _ status: Int) {
    guard case .answering(let announced) = phones[index].mode else { return }
    guard status == 200 else { return rest(index, "the answer got \(status)") }
    let name = phones[index].name
    // The provider has acknowledged it by now.
    guard let call = legs.last(where: { $0.answeredBy == name && !$0.isTaken })?.number else {
      if legs.indices.contains(announced), legs[announced].isForgotten { return rest(index, "its call is known to nobody") }
      if legs.indices.contains(announced), legs[announced].isGivenUp { return rest(index, "its caller has given up") }
      return ledger.note("one winner: \(name) has answered, and no call was (call \(announced)?)")
    }
    if let fetched = phones[index].fetched, fetched != call {
      ledger.note("one winner: \(name) fetched call \(fetched), and answered call \(call)")
    }
    legs[call].isTaken = true
    if !legs[call].isForgotten {
      ledger.winners.acted(call, phones[index].name, isAnswer: true)
      ledger.pushes.acted(call, index)
    }
    talk(index, call)
  }

  /// Nothing in a decline tells which call it is about: the one that is refused then, where there is no doubt about it.
  mutating func matchDeclines(of account: Int) {
    guard let decline = declines[account]?.first else { return }
    let phone = decline.phone
    let refused = legs.filter { leg in leg.account == account && !leg.isTaken && leg.branches.contains { $0.final == 603 } }.map(\.number)
    guard let call = refused.first else { return }
    let others = phones.contains { $0.account == account && $0.index != phone && $0.isDeclining }
    let isCertain = refused.count == 1 && declines[account]?.count == 1 && decline.announced == call && !others
    declines[account] = nil
    for call in refused { legs[call].isTaken = true }
    guard isCertain, !legs[call].isForgotten else { return }
    ledger.winners.acted(call, phones[phone].name, isAnswer: false)
    ledger.pushes.acted(call, phone)
  }

  private mutating func statusRead(_ index: Int, _ status: Int, _ body: Bytes) {
    guard case .talking = phones[index].mode else { return }
    guard status == 200 else {
      return rest(index, "status \(status)")
    }
    let text = body.text
    phones[index].heardAt = now
    if text.contains("\"ended\"") { return rest(index, "it has ended") }
    askForStatus(index)
  }
}

extension PhoneRequest {
  /// For the story.
  var word: String {
    switch self {
    case .setUp: "set-up"
    case .fetch: "fetch"
    case .decline: "decline"
    case .answer: "answer"
    case .status: "status"
    case .hangUp: "hang up"
    default: "something"
    }
  }

  /// A node that takes longer is given up.
  var longestWait: Duration {
    switch self {
    case .status(_, _, let wait): .seconds(wait + 3)
    case .answer: .seconds(15)
    default: .seconds(14)
    }
  }
}
