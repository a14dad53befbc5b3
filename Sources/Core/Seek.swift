import Primitives
import SIP
import Store

/// A SIP request about a call that is not here: its home is looked for.
struct Seek: Sendable {
  /// As long as a takeover may take: a call whose home has just died gets another one.
  static let patience = Duration.seconds(10)
  static let pause = Duration.milliseconds(300)

  let account: AccountID
  let request: Request
  let flow: Flow
  let deadline: Instant
  /// Those still to be asked.
  var homes: ArraySlice<Holder> = []
  /// One of them could not be asked.
  var isOneAway = false
}
