public import Primitives

/// Another node becomes the account's owner.
extension Registration {
  /// Requests that the node before sent after its last word to the store have used numbers that nobody knows; a registrar takes no
  /// lower one (RFC 3261 §10.3).
  private static let leap: UInt32 = 1000

  /// More than several owners after each other have leapt.
  private static let longLeap = 10 * leap

  /// More than nodes die before one of them has registered the account.
  private static let mostFormer = 8

  /// Registers anew, at this node's address; the same REGISTER removes what the owner before may have left. Whoever calls it asks `Pacing`
  /// for the turn that `deadlineReached` then takes.
  ///
  /// - Parameters:
  ///   - new: the account's, with this node's addresses.
  ///   - isContested: the owner before lives, and a REGISTER of its may still come through: the binding is looked at once more after that.
  public mutating func takenOver(settings new: RegistrationSettings, isContested: Bool = false, now: Instant) {
    guard phase != .removed else { return }
    self.isContested = isContested
    noteFormerContacts()
    if new.username != settings.username { sessions = [] }
    settings = new
    leap(Self.leap)
    if phase != .new { phase = .resting(until: now) }
  }

  private mutating func leap(_ width: UInt32) { cseq = min(cseq, CSeq.largest - width) + width }

  /// RFC 3261 §10.3, step 7: the registrar knows a higher number of a binding. Owners whose word was lost have used it. The RFC asks for
  /// 500 there, and several registrars say 400; who keeps saying it means something else.
  func mayBeBehind(_ response: Response, _ attempt: Attempt) -> Bool {
    guard response.status == 400 || response.status == 500 else { return false }
    let mayBeKnown = binding != nil || !formerContacts.isEmpty || !strays.isEmpty
    return mayBeKnown && !attempt.hasLeapt && refusals + outages < Self.mostLeaps
  }

  private static let mostLeaps = 3

  mutating func leapt(_ attempt: Attempt, _ target: Target, _ now: Instant) -> [Action] {
    leap(Self.longLeap)
    var attempt = attempt
    attempt.hasLeapt = true
    attempt.answered = []
    return again(attempt, target, now)
  }

  /// A REGISTER of the owner before whose outcome is in no record may have bound its address.
  private mutating func noteFormerContacts() {
    let former = settings.contactAddresses.keys.sorted { $0.rawValue < $1.rawValue }.map { contact($0) }
    guard binding.map({ !former.contains($0.contact) }) ?? true else { return }
    mayBeBound = true
    formerContacts = Array((former + formerContacts.filter { !former.contains($0) }).prefix(Self.mostFormer))
  }

  /// Contacts of ours that are to go: what owners before this one left at the registrar, or may have left, and what it has listed.
  func staleContacts(besides contact: Bytes) -> [Bytes] {
    var stale: [Bytes] = []
    for found in (binding.map { [$0.contact] } ?? []) + formerContacts + strays where found != contact && !stale.contains(found) {
      stale.append(found)
    }
    return stale
  }

  /// What the registrar lists under our user part beside the binding that we just made: of an owner that died, or lost the account,
  /// before it could say where it had registered. Nothing where the registrar writes contacts in its own way: then nobody knows which
  /// one is this binding.
  func strayContacts(in response: Response, besides contact: Bytes) -> [Bytes] {
    guard let sent = try? URI(contact[...]) else { return [] }
    let listed = ((try? response.contacts) ?? []).map(\.uri)
    let ours = listed.filter { (try? URI($0))?.unescapedUser == settings.token }
    let others = ours.filter { (try? URI($0))?.matches(sent) != true }
    return others.count == ours.count ? [] : others.map { Array($0) }
  }
}
