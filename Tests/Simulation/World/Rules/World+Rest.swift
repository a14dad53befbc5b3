import Cluster
import Core
import Primitives
import Store
import Switchboard

/// What has to be so when nothing breaks any more and everybody has had time.
extension World {
  /// Why it is not so yet.
  var unrest: [String] {
    let living = nodes.filter { $0.isUp && $0.core.holder != nil }
    guard living.count == nodes.count else { return ["\(nodes.count - living.count) nodes do not act"] }
    return members + accounts + ringing + talks + phonesAtWork
  }

  private var members: [String] {
    var store = redis.store
    guard case .members(let members) = store.perform(.members, now: now), redis.primary != nil else { return ["there is no store"] }
    let listed = members.filter { $0.remaining > .zero }.map(\.holder)
    return listed == nodes.compactMap(\.core.holder).sorted() ? [] : ["the store knows other holders: \(listed)"]
  }

  /// One owner, one binding, and every node agrees.
  private var accounts: [String] {
    var store = redis.store
    var unrest: [String] = []
    for provider in providers {
      for subscriber in provider.subscribers {
        guard case .whereabouts(let found) = store.perform(.whereabouts(subscriber.id), now: now) else {
          if !lostSetUps.contains(subscriber.id) { unrest.append("\(subscriber.user) is not in the store") }
          continue
        }
        unrest += disagreements(subscriber, found.owner?.holder)
      }
    }
    return unrest
  }

  private func disagreements(_ subscriber: Subscriber, _ owner: Holder?) -> [String] {
    let name = subscriber.user
    guard let owner, let node = nodes.first(where: { $0.core.holder == owner }) else { return ["\(name) has no living owner"] }
    var unrest: [String] = []
    let owners = nodes.filter { $0.core.ownership.owned[subscriber.id] != nil }.map(\.id)
    if owners != [node.id] { unrest.append("\(name) is owned by \(owner.node) for the store, and by \(owners) in their own eyes") }
    let rightful = nodes.compactMap { $0.core.ownership.owner(of: subscriber.id) }
    if rightful.contains(where: { $0 != rightful.first }) { unrest.append("the nodes do not agree whose \(name) is: \(rightful)") }
    let bindings = subscriber.live(now).map { host($0.contact) }
    if bindings != [node.id.name] { unrest.append("\(name) is registered at \(bindings), its owner is \(node.id)") }
    return unrest
  }

  private var ringing: [String] {
    // They wait for their slots, which nobody claims while the store settles.
    let young = legs.filter { $0.isYoung(now) }.map { "call \($0.number) has just begun" }
    let late = legs.filter { $0.isRinging && !$0.isForgotten }.map { "call \($0.number) still rings" }
    let held = nodes.filter { $0.core.switchboard.load.held > 0 }.map { "\($0.id) still holds a call" }
    return young + late + held
  }

  private var talks: [String] {
    let answered = legs.filter { $0.state == .answered && !$0.isForgotten }
    let forgotten = answered.filter { leg in !phones.contains { $0.isTalking && $0.call == leg.number } }
    let haunted = phones.filter { phone in
      phone.isTalking && phone.call.map { legs[$0].state != .answered && !legs[$0].isForgotten } ?? false
    }
    // Of those that may have been forgotten some are not.
    let known = answered.count...legs.count { $0.state == .answered || $0.isForgotten }
    let count = nodes.map(\.core.switchboard.load.answered).reduce(0, +)
    return forgotten.map { "call \($0.number) goes on at the provider, and \($0.answeredBy ?? "?") is not in it" }
      + haunted.map { "\($0.name) talks in a call that is over" }
      + (known ~= count ? [] : ["the nodes know \(count) answered calls, the providers \(answered.count)"])
  }

  private var phonesAtWork: [String] {
    phones.filter { !$0.isSetUp || !($0.mode == .idle || $0.isTalking) }.map { "\($0.name) is \($0.mode)" }
  }

  // MARK: The end of a run

  private static let longestRest = Duration.seconds(110)
  private static let longestFarewell = Duration.seconds(70)

  /// Once a second when nothing breaks any more.
  mutating func look() {
    let unrest = unrest
    switch ending {
    case .waiting(let quietLooks):
      if unrest.isEmpty, quietLooks >= 2 { return sayFarewell() }
      if now - calm > Self.longestRest { return notAtRest(unrest) }
      ending = .waiting(quietLooks: unrest.isEmpty ? quietLooks + 1 : 0)
    case .parting(let since):
      if unrest.isEmpty, !legs.contains(where: { $0.state == .answered && !$0.isForgotten }), !phones.contains(where: talks) {
        return ending = .over
      }
      if now - since > Self.longestFarewell { return notAtRest(unrest + ["calls do not end"]) }
    case .over: return
    }
    queue.add(.look, at: now + .seconds(1))
  }

  /// Of a call that was forgotten only its user can end it, who hears nothing more.
  private func talks(_ phone: Phone) -> Bool { phone.isTalking && phone.call.map { !legs[$0].isForgotten } ?? true }

  private mutating func notAtRest(_ unrest: [String]) {
    for reason in unrest { ledger.note("at rest: \(reason)") }
    ending = .over
  }

  /// What is still being talked is ended, by the phone or by the caller; each hears of it.
  private mutating func sayFarewell() {
    story.tell(now, "all is at rest")
    ending = .parting(since: now)
    for leg in legs where leg.state == .answered {
      let phone = phones.firstIndex { $0.mode == .talking(call: leg.number) }
      if leg.number.isMultiple(of: 2), let phone {
        phones[phone].node = Int.random(in: 0..<nodes.count, using: &random)
        hangUp(phone, leg.number)
      } else {
        caller(leg.number, .hangsUp)
      }
    }
    queue.add(.look, at: now + .seconds(1))
  }
}

enum Ending {
  case waiting(quietLooks: Int)
  case parting(since: Instant)
  case over
}
