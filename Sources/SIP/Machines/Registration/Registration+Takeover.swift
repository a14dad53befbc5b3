public import Primitives

/// Another node becomes the account's owner.
extension Registration {
  /// Requests that the node before sent after its last word to the store have used numbers that nobody knows; a registrar takes no
  /// lower one (RFC 3261 §10.3).
  private static let leap: UInt32 = 1000

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
    cseq = min(cseq, CSeq.largest - Self.leap) + Self.leap
    if phase != .new { phase = .resting(until: now) }
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
