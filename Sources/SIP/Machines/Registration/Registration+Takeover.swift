public import Primitives

/// Another node becomes the account's owner.
extension Registration {
  /// Requests that the node before sent after its last word to the store have used numbers that nobody knows; a registrar takes no
  /// lower one (RFC 3261 §10.3).
  private static let leap: UInt32 = 1000

  /// Registers anew, at this node's address; the same REGISTER removes the old contact. Whoever calls it asks `Pacing` for the turn
  /// that `deadlineReached` then takes.
  public mutating func takenOver(contactAddresses: [Transport: Bytes], now: Instant) {
    guard phase != .removed else { return }
    settings.contactAddresses = contactAddresses
    cseq = min(cseq, CSeq.largest - Self.leap) + Self.leap
    if phase != .new { phase = .resting(until: now) }
  }

  /// Contacts of ours that are to go: the one that an owner before this one is known to have left, and those that the registrar listed.
  func leftContacts(besides contact: Bytes) -> [Bytes] {
    let left = binding.map { [$0.contact] } ?? []
    return (left + strays.filter { !left.contains($0) }).filter { $0 != contact }
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
