public import Primitives

/// All transactions of a node (RFC 3261 §17, RFC 6026). Messages and time come in, messages and events for the user of the
/// transactions go out.
///
/// The user answers each `request` event by `respond`, or drops it by `forget`; an ACK wants neither. All of it is plain data, so a
/// transaction can be adopted by another node.
public struct TransactionLayer: Sendable, Equatable {
  public struct Limits: Sendable, Hashable {
    /// Transactions at once; above that requests are answered 503 and forgotten.
    public var servers: Int
    /// Transactions at once; above that a request of ours fails as if its transport had.
    public var clients: Int

    public init(servers: Int = 50_000, clients: Int = 50_000) {
      self.servers = servers
      self.clients = clients
    }
  }

  public enum Event: Sendable, Equatable {
    /// A new request, its top Via stamped with where it came from. An ACK is one that was no answer to a final response other than
    /// 2xx; a CANCEL one that fits no INVITE here.
    case request(Request, ServerTransactionID, from: Flow)
    /// The CANCEL wants its own answer (`id`), and the INVITE its 487 unless it has a final response.
    case cancel(of: ServerTransactionID, Request, ServerTransactionID)
    case response(Response, ClientTransactionID)
    case timedOut(ClientTransactionID)
    case transportFailed(ClientTransactionID)
    /// No ACK came to the 2xx: the user ends the dialog by BYE (§13.3.1.4).
    case noACK(ServerTransactionID)
    /// The ACK to a final response other than 2xx has come.
    case acknowledged(ServerTransactionID)
    /// The transaction is over and forgotten. Once for each, except for those that `forget` dropped.
    case ended(ServerTransactionID)
  }

  public enum Action: Sendable, Equatable {
    case send(Bytes, to: Flow)
    case respond(Bytes, to: ResponseTarget)
    case deliver(Event)
    /// `deadlineReached` wants to be called then. Each one replaces the one before.
    case wake(at: Instant)

    public var isMessage: Bool {
      switch self {
      case .send, .respond: true
      case .deliver, .wake: false
      }
    }
  }

  struct Server: Sendable, Equatable {
    var machine: Transaction<InviteServerTransaction, ServerTransaction>
    var target: ResponseTarget
  }

  struct Client: Sendable, Equatable {
    var machine: Transaction<InviteClientTransaction, ClientTransaction>
    var flow: Flow
  }

  enum Owner: Sendable, Hashable {
    case server(ServerTransactionID)
    case client(ClientTransactionID)
  }

  public let limits: Limits
  var servers: [ServerTransactionID: Server] = [:]
  var clients: [ClientTransactionID: Client] = [:]
  var random: SeededRandom
  private var deadlines = DeadlineQueue<Owner>()
  private var announcedWake: Instant?

  public init(limits: Limits = Limits(), random: SeededRandom) {
    self.limits = limits
    self.random = random
  }

  public var serverCount: Int { servers.count }
  public var clientCount: Int { clients.count }

  /// Calls every transaction whose time has come.
  public mutating func deadlineReached(now: Instant) -> [Action] {
    announcedWake = nil
    var actions: [Action] = []
    while let owner = deadlines.popDue(now: now) {
      switch owner {
      case .server(let id): actions += serverDeadline(id, now)
      case .client(let id): actions += clientDeadline(id, now)
      }
    }
    return actions + wake()
  }

  /// Stores the transaction, or forgets it where it is over; gives the event of its end.
  mutating func keep(_ server: Server, as id: ServerTransactionID) -> [Action] {
    deadlines.set(server.machine.deadline, for: .server(id))
    servers[id] = server.machine.isTerminated ? nil : server
    return server.machine.isTerminated ? [.deliver(.ended(id))] : []
  }

  mutating func keep(_ client: Client, as id: ClientTransactionID) {
    deadlines.set(client.machine.deadline, for: .client(id))
    clients[id] = client.machine.isTerminated ? nil : client
  }

  /// Drops the transaction without an answer, now or later: for those who deserve only silence.
  public mutating func forget(_ id: ServerTransactionID) {
    deadlines.set(nil, for: .server(id))
    servers[id] = nil
  }

  /// The earliest deadline, where it is another one than the shell was told.
  mutating func wake() -> [Action] {
    guard let earliest = deadlines.earliest, earliest != announcedWake else { return [] }
    announcedWake = earliest
    return [.wake(at: earliest)]
  }
}
