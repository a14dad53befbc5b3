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

  /// The contact that an owner before this one left at the registrar, where it is not the one that is being registered.
  func staleContact(besides contact: Bytes) -> Bytes? {
    guard let left = binding?.contact, left != contact else { return nil }
    return left
  }
}
