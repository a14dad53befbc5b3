import Primitives
import Store

/// A connection: what is sent over it arrives in its order, or the connection ends.
struct Wire {
  let client: Party
  let server: Party
  /// Which life of a node is at either end; 0 for others.
  let clientLife: Int
  let serverLife: Int
  var isOpenAtClient = true
  var isOpenAtServer = true
  /// When the last parcel arrives at the server, and at the client.
  var arrivals = (Instant.zero, Instant.zero)

  func party(atServer: Bool) -> Party { atServer ? server : client }
  func life(atServer: Bool) -> Int { atServer ? serverLife : clientLife }
  func isOpen(atServer: Bool) -> Bool { atServer ? isOpenAtServer : isOpenAtClient }

  mutating func close(atServer: Bool) {
    if atServer { isOpenAtServer = false } else { isOpenAtClient = false }
  }
}

/// What goes over a wire. In a box of its own: it is handed on often, and some of it is large.
indirect enum Parcel {
  case sip(Bytes)
  /// The first word over a link between nodes, or to the store: only a process that runs answers it.
  case hello
  case welcome
  /// Does anybody listen? Answered by the host.
  case knock
  /// The host is there, and nobody listens.
  case refused
  case command(StoreCommand, Int)
  case reply(StoreReply, Int)
  case peerAsks(UInt64, PeerAsk)
  case peerSays(UInt64, PeerWord)
  case peerAbandons(UInt64)
  case phoneAsks(PhoneAsk)
  case phoneHears(status: Int, body: Bytes)
  /// The other side has ended it.
  case end
}
