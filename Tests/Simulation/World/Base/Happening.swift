import Primitives
import SIP
import Store
import Switchboard

/// Everything that can happen in the world.
enum Happening {
  case nodeWakes(Int, life: Int)
  case nodeTimer(Int, life: Int, NodeTimer)
  case datagram(from: SocketAddress, to: Party, Bytes)
  /// At one end of a wire.
  case parcel(Int, atServer: Bool, Parcel)
  case fault(Int)
  case faultEnds(Int)
  case callBegins(Int)
  case providerWakes(Int)
  case caller(Int, CallerStep)
  case phone(Int, step: Int, PhoneStep)
  case phoneTired(Int, ask: Int)
  case push(Int, PushStep)
  case announcement(phone: Int, call: Int)
  case silence(phone: Int)
  case redis(RedisStep)
  case look
}

/// What a node waits for by itself.
enum NodeTimer {
  /// A command of the store has waited too long.
  case store
  case storeConnects(attempt: Int)
  case ask(UInt64)
  /// A link to a peer could not be made in time.
  case link(wire: Int)
  case located(AccountID, [Target])
  case pushed(CallID, DeviceID, AnnouncementOutcome)
}

enum CallerStep {
  case hangsUp
  case refreshes
  case asks
  /// After CANCEL nobody waits for ever (RFC 3261 §9.1).
  case givesUp
  /// The other side knew nothing of a call that nobody had ended.
  case mourns
}

enum PhoneStep {
  case setsUp
  case acts
  case answers
  case hangsUp
  case triesAgain
  case asksForStatus
}

enum PushStep {
  case leaves
  case arrives
}

enum RedisStep {
  case primaryBack(isEmpty: Bool)
  case replicaStops
}
