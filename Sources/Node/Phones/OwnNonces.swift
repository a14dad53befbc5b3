import PhoneContract
import Primitives
import Store

/// The nonces of the time in which the store answers nobody, and for as long after that as they live: it has not heard of them. Each node
/// has its own, and the one that has a phone's call is the only one that serves it then.
struct OwnNonces: Sendable {
  private var memory = MemoryStore()
  private var isNeededUntil: Instant?

  /// Whether the nonce is new.
  ///
  /// - Parameter reply: what the store says of it.
  mutating func judge(_ device: DeviceID, _ nonce: Bytes, _ reply: StoreReply, now: Instant) -> StoreReply {
    if reply == .unavailable { isNeededUntil = now + Contract.nonceLifetime }
    guard reply == .fresh || reply == .unavailable, let isNeededUntil, now < isNeededUntil else { return reply }
    return memory.perform(.useNonce(device, nonce: nonce, until: now + Contract.nonceLifetime), now: now)
  }
}
