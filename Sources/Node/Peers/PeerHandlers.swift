import Core
import HTTP
import Network
import Primitives
import Store

/// What a node does when its peers ask. Who asks is proven by then. Each answer is given once, from within the call or later; where the
/// peer has gone meanwhile it goes nowhere.
struct PeerHandlers {
  /// The peer has spoken; says what this node has to say.
  var greeted: @LoopActor (Greeting, _ by: NodeID) -> Greeting
  /// Renews the peer's own lease.
  var renew: @LoopActor (Holder, @escaping @LoopActor (RenewalOutcome) -> Void) -> Void
  /// Answers a phone; nil: nothing was done, the account is not here. Gives back what is called where nobody waits any more.
  var phone: @LoopActor (ForwardedRequest, _ from: NodeID, @escaping @LoopActor (HTTPResponse?) -> Void) -> @LoopActor () -> Void
  /// Answers a SIP request; nil: there is no answer to it.
  var sip: @LoopActor (PassedMessage, _ from: NodeID, @escaping @LoopActor (Bytes?) -> Void) -> Void
  /// These accounts have no owner now.
  var handed: @LoopActor ([AccountID], _ by: NodeID) -> Void
}
