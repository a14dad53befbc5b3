import Core
import Endpoints
import HTTP
import Network
import Primitives
import Switchboard

/// Who waits for which answer: the core knows numbers, the desk knows connections.
@LoopActor
struct RequestDesk {
  private var lastNumber: UInt64 = 0
  private var phones: [PhoneRequestID: @LoopActor (HTTPResponse?) -> Void] = [:]
  private var renewals: [PeerRequestID: @LoopActor (RenewalOutcome) -> Void] = [:]
  private var passes: [PeerRequestID: @LoopActor (Bytes?) -> Void] = [:]
  private var forwards: [PhoneRequestID: HTTPClientCall] = [:]

  nonisolated init() {}

  private mutating func nextNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  // MARK: Phones

  /// nil is the answer to a request of a peer that cannot be answered here.
  mutating func open(_ answer: @escaping @LoopActor (HTTPResponse?) -> Void) -> PhoneRequestID {
    let id = PhoneRequestID(nextNumber())
    phones[id] = answer
    return id
  }

  mutating func close(_ id: PhoneRequestID) -> (@LoopActor (HTTPResponse?) -> Void)? { phones.removeValue(forKey: id) }

  // MARK: Peers

  mutating func open(renewal answer: @escaping @LoopActor (RenewalOutcome) -> Void) -> PeerRequestID {
    let id = PeerRequestID(nextNumber())
    renewals[id] = answer
    return id
  }

  mutating func close(renewal id: PeerRequestID) -> (@LoopActor (RenewalOutcome) -> Void)? { renewals.removeValue(forKey: id) }

  mutating func open(passed answer: @escaping @LoopActor (Bytes?) -> Void) -> PeerRequestID {
    let id = PeerRequestID(nextNumber())
    passes[id] = answer
    return id
  }

  mutating func close(passed id: PeerRequestID) -> (@LoopActor (Bytes?) -> Void)? { passes.removeValue(forKey: id) }

  // MARK: On its way

  /// The request is with a peer. Where the answer came from within the asking, there is nothing to keep.
  mutating func away(_ id: PhoneRequestID, _ call: HTTPClientCall) { if phones[id] != nil { forwards[id] = call } }

  mutating func back(_ id: PhoneRequestID) { forwards[id] = nil }

  mutating func abandon(_ id: PhoneRequestID) { forwards.removeValue(forKey: id)?.abandon() }
}
