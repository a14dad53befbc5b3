import PhoneContract
import Primitives
import SIP

/// What phones do by themselves.
extension World {
  mutating func phone(_ index: Int, _ step: PhoneStep) {
    switch (step, phones[index].mode) {
    case (.setsUp, _): setUp(index)
    case (.triesAgain, _): sendAgain(index)
    case (.acts, .ringing(let call)): act(index, call)
    case (.answers, .fetched(let call)):
      phones[index].mode = .answering(call: call)
      ask(index, .answer(Phone.line, sdp: SessionText.text(phones[index].name), confirm: true), hasKey: true, patience: .seconds(60))
    case (.asksForStatus, .talking): askForStatus(index)
    case (.hangsUp, .talking(let call)): hangUp(index, call)
    default: break
    }
  }

  mutating func later(_ index: Int, _ step: PhoneStep, in pause: Duration) {
    phones[index].step += 1
    queue.add(.phone(index, step: phones[index].step, step), at: now + pause)
  }

  private mutating func setUp(_ index: Int) {
    let phone = phones[index]
    let provider = providers.firstIndex { $0.subscriber(phone.accountID) != nil } ?? 0
    guard let place = providers[provider].subscriber(phone.accountID) else { return }
    let transport: TransportChoice = plan.shape.transport == .udp ? .udp : .tcp
    let body = phone.setUp(providers[provider].subscribers[place], expires: plan.shape.expires, transport: transport)
    ask(index, .setUp(body), hasKey: false, patience: .seconds(120))
  }

  // MARK: A call that rings

  /// The push service has brought an announcement.
  mutating func announced(_ index: Int, _ call: Int) {
    guard phones[index].mode == .idle else { return }
    phones[index].mode = .ringing(call: call)
    let choice = Int.random(in: 0..<100, using: &phones[index].random)
    phones[index].wish = choice < 70 ? .answer : choice < 85 ? .decline : .ignore
    later(index, .acts, in: phones[index].think(300...6000))
  }

  mutating func silenced(_ index: Int) {
    if case .ringing = phones[index].mode { phones[index].mode = .idle }
  }

  private mutating func act(_ index: Int, _ call: Int) {
    switch phones[index].wish {
    case .ignore: phones[index].mode = .idle
    case .decline:
      phones[index].mode = .declining(call: call)
      ask(index, .decline, hasKey: true, patience: .seconds(40))
    case .answer:
      phones[index].mode = .fetching(call: call)
      ask(index, .fetch(Phone.line, .answer), hasKey: true, patience: .seconds(40))
    }
  }

  // MARK: A call that was answered

  mutating func talk(_ index: Int, _ call: Int) {
    story.tell(now, Party.phone(index), "talks in call \(call)")
    phones[index].mode = .talking(call: call)
    phones[index].after = 0
    phones[index].heardAt = now
    let isLong = Int.random(in: 0..<3, using: &phones[index].random) == 0
    phones[index].talksFor = isLong ? nil : phones[index].think(1000...30_000)
    askForStatus(index)
  }

  mutating func askForStatus(_ index: Int) {
    guard case .talking(let call) = phones[index].mode else { return }
    if let left = phones[index].talksFor, left <= .zero { return hangUp(index, call) }
    let wait = min(25, Int((phones[index].talksFor ?? .seconds(25)).components.seconds) + 1)
    if let left = phones[index].talksFor { phones[index].talksFor = left - .seconds(wait) }
    ask(index, .status(Phone.line, after: phones[index].after, wait: wait), hasKey: false, patience: .seconds(60))
  }

  mutating func hangUp(_ index: Int, _ call: Int) {
    story.tell(now, Party.phone(index), "hangs up call \(call)")
    giveUp(index)
    phones[index].mode = .hangingUp(call: call)
    ask(index, .hangUp(Phone.line), hasKey: true, patience: .seconds(60))
  }

  mutating func rest(_ index: Int, _ why: String) {
    if let call = phones[index].call { story.tell(now, Party.phone(index), "is done with call \(call): \(why)") }
    phones[index].mode = .idle
    phones[index].open = nil
  }
}
