public import HTTP
public import PhoneContract
public import Primitives
public import SIP
public import Store
public import Switchboard

extension NodeCore {
  /// What is done for it outside.
  public enum Action: Sendable {
    // Providers. What each means stands at the switchboard's action of the same name.
    case respond(ServerTransactionID, Response)
    case acknowledged(ServerTransactionID)
    case drop(ServerTransactionID)
    case adopt(Request, last: Response?, Flow)
    case send(Request, nextHop: URI, over: Flow, CallID)
    case locate(AccountID, RegistrarAddress)
    case register(AccountID, Request, Target)

    // Devices.
    case announce(CallID, Device, Caller, at: Instant)
    case withdraw(CallID, DeviceID)
    case stop(CallID, Device, StopReason, at: Instant)

    /// The reply comes back with the question.
    case store(StoreCommand, Question)

    /// A phone's answer, once for each request of `phone` and of `phoneOfPeer`.
    case answer(PhoneRequestID, HTTPResponse)
    /// A request of `phoneOfPeer` cannot be answered here; nothing was done.
    case notHere(PhoneRequestID)

    /// Speaks to every peer. What they answer are events of peers.
    case greet([Member], Greeting)
    /// Does anybody listen there? A refusal is an event.
    case knock(NodeID)
    /// Comes back as `renewalAnswered`.
    case renewThrough(NodeID, Holder, sentAt: Instant)
    /// Comes back as `forwardAnswered`, unless it is abandoned.
    case forward(PhoneRequestID, ForwardedRequest, to: NodeID, within: Duration)
    case abandon(PhoneRequestID)
    /// Comes back as `passAnswered`.
    case pass(PassedMessage, to: NodeID, ServerTransactionID)
    case handed([AccountID], to: NodeID)
    case answerRenewal(PeerRequestID, RenewalOutcome)
    case answerPassed(PeerRequestID, Bytes?)

    case note(NodeNote)
    /// Everything is handed over or given back.
    case left
  }

  /// What a reply of the store belongs to.
  public enum Question: Sendable {
    case switchboard(Switchboard.StoreTag)
    case join(sentAt: Instant)
    case renew(Holder, sentAt: Instant)
    case renewFor(PeerRequestID)
    case members(sentAt: Instant)
    case bury(Holder)
    case leave
    case strays
    case accounts(of: Holder?)
    case homes(Holder)
    case claim([StoreReply.ListedAccount], Holder)
    case whereabouts(PhoneRequestID)
    case recall(PhoneRequestID)
    case seek(ServerTransactionID)
    /// Nothing follows from the reply.
    case nothing
  }
}

extension NodeCore.Action {
  /// Whether others may take it for the word of whoever owns the account or has the call.
  public var isInOurName: Bool {
    switch self {
    case .respond, .send, .register, .announce, .stop: true
    default: false
    }
  }
}

/// A question of a peer that has not been answered yet. The shell gives the number and knows the connection.
public struct PeerRequestID: Sendable, Hashable {
  public let number: UInt64
  public init(_ number: UInt64) { self.number = number }
}

/// What is worth a line in the log or a step of a counter. Nothing in it names a person.
public enum NodeNote: Sendable, Equatable {
  case switchboard(Note)
  /// This node has a lease.
  case stoodUp(Holder)
  /// It has none, and does nothing.
  case stoodDown
  case joinRefused(JoinRefusal)
  case lives(Int)
  case died
}
