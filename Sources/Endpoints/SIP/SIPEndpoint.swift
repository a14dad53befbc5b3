public import Cryptography
public import Network
public import Primitives
public import SIP

/// SIP on the network: listeners, connections and the transactions over them. What happens comes by `onEvent`; what is to be sent
/// is given to `respond` and `send`.
@LoopActor
public final class SIPEndpoint {
  /// Never called from within a call of this object's methods.
  public var onEvent: (@LoopActor (TransactionLayer.Event) -> Void)?
  /// A connection has ended, or could not be made.
  public var onFlowEnded: (@LoopActor (Flow) -> Void)?
  /// Whether what was said before may be said again, and what came be answered, without asking anybody; nil: always.
  public var maySpeak: (@LoopActor () -> Bool)?
  public private(set) var counters = SIPCounters()

  private(set) var settings: SIPSettings
  let resolver: Resolver
  var layer: TransactionLayer
  var random: SeededRandom
  var sockets: [UDPSocket] = []
  var listeners: [(transport: Transport, listener: TCPListener)] = []
  var connections: [UInt64: SIPConnection] = [:]
  /// The open or opening connection to each hop.
  var outgoing: [SIPHop: UInt64] = [:]
  /// The same, by connection.
  var hops: [UInt64: SIPHop] = [:]
  var keepers: [Flow: LoopTimer] = [:]
  /// Whether accounts are registered at the source of a message, so that it may send more than a stranger.
  public var isProvider: (@LoopActor (IPAddress) -> Bool)?
  private var messageMeter: SourceMeter
  private var providerMeter: SourceMeter
  var refusalMeter: SourceMeter
  private var lastConnection: UInt64 = 0
  private var queue: [TransactionLayer.Action] = []
  private var isPerforming = false
  private var wakeUp: LoopTimer?

  /// Listens at once.
  /// - Parameter seed: for tags, branches and choices among servers of one weight; from the system's random source.
  public init(
    _ settings: SIPSettings, resolver: Resolver, seed: UInt64, limits: TransactionLayer.Limits = .init()
  ) throws(NetworkError) {
    self.settings = settings
    self.resolver = resolver
    var random = SeededRandom(seed: seed)
    layer = TransactionLayer(limits: limits, random: SeededRandom(seed: random.next()))
    self.random = random
    messageMeter = SourceMeter(perSecond: settings.rates.messages, sources: settings.rates.sources)
    providerMeter = SourceMeter(perSecond: settings.rates.providerMessages, sources: settings.rates.sources)
    refusalMeter = SourceMeter(perSecond: settings.rates.refusals, sources: settings.rates.sources)
    do throws(NetworkError) {
      try listen()
    } catch {
      close()
      throw error
    }
  }

  private func listen() throws(NetworkError) {
    for address in settings.udp { try listenUDP(address) }
    for address in settings.tcp { try listen(.tcp, address, nil) }
    for address in settings.tls {
      guard let context = settings.serverTLS else { throw .notPermitted }
      try listen(.tls, address, context)
    }
  }

  private func listen(_ transport: Transport, _ address: SocketAddress, _ context: TLSContext?) throws(NetworkError) {
    let listener = try TCPListener(bind: address, tls: context, limits: settings.listener) { [weak self] in
      self?.accepted($0, transport)
    }
    listeners.append((transport, listener))
  }

  /// Certificate and trust for connections that come and are made from now on.
  public func setTLS(server: TLSContext?, client: TLSContext?) {
    (settings.serverTLS, settings.clientTLS) = (server, client)
    guard let server else { return }
    for (transport, listener) in listeners where transport == .tls { listener.tls = server }
  }

  /// The addresses that this endpoint listens on.
  public func localAddresses(_ transport: Transport) -> [SocketAddress] {
    transport == .udp ? sockets.map(\.local) : listeners.filter { $0.transport == transport }.map(\.listener.local)
  }

  // MARK: For the user of the transactions

  /// Answers the request of a transaction.
  public func respond(to id: ServerTransactionID, with response: Response) {
    perform(layer.respond(to: id, with: response, now: Loop.now()))
  }

  /// The ACK to the 2xx of this INVITE has come.
  public func acknowledged(_ id: ServerTransactionID) { perform(layer.acknowledged(id)) }

  /// Drops a transaction without an answer.
  public func forget(_ id: ServerTransactionID) { layer.forget(id) }

  /// Takes over an INVITE that another node held, with the last response that it sent.
  public func adopt(invite: Request, last: Response?, from flow: Flow) throws(SIPError) -> ServerTransactionID {
    let (id, actions) = try layer.adopt(invite: invite, last: last, from: flow, now: Loop.now())
    perform(actions)
    return id
  }

  /// Sends a request without Via to a hop, over the connection that is there or a new one.
  @discardableResult
  public func send(_ request: Request, to hop: SIPHop) -> ClientTransactionID { send(request, over: flow(to: hop)) }

  @discardableResult
  public func send(_ request: Request, over flow: Flow) -> ClientTransactionID {
    let (id, actions) = layer.send(request, over: flow, via: sentBy(flow), now: Loop.now())
    perform(actions)
    return id
  }

  /// Cancels an INVITE of ours; nil where it has no provisional response or a final one.
  public func cancel(_ invite: ClientTransactionID) -> ClientTransactionID? {
    guard let (id, actions) = layer.cancel(invite, now: Loop.now()) else { return nil }
    perform(actions)
    return id
  }

  /// Ends everything at once.
  public func close() {
    wakeUp?.cancel()
    for timer in keepers.values { timer.cancel() }
    keepers = [:]
    for socket in sockets { socket.close() }
    for (_, listener) in listeners { listener.close() }
    for connection in connections.values { connection.close() }
    (sockets, listeners) = ([], [])
  }

  // MARK: Actions

  /// What the layer does by itself.
  func performUnasked(_ actions: [TransactionLayer.Action]) {
    perform(maySpeak?() == false ? actions.filter { !$0.isMessage } : actions)
  }

  /// In the order in which they came, also those that an event's receiver causes: a wake-up replaces the one before.
  func perform(_ actions: [TransactionLayer.Action]) {
    queue += actions
    guard !isPerforming, !queue.isEmpty else { return }
    isPerforming = true
    Loop.soon { [self] in performQueue() }
  }

  private func performQueue() {
    var next = 0
    while next < queue.count {
      perform(queue[next])
      next += 1
    }
    queue.removeAll(keepingCapacity: true)
    isPerforming = false
  }

  private func perform(_ action: TransactionLayer.Action) {
    switch action {
    case .send(let bytes, let flow): transmit(bytes, over: flow)
    case .respond(let bytes, let target): transmit(bytes, to: target)
    case .deliver(let event): onEvent?(event)
    case .wake(let deadline):
      wakeUp?.cancel()
      wakeUp = Loop.at(deadline) { [weak self] in
        guard let self else { return }
        performUnasked(layer.deadlineReached(now: Loop.now()))
      }
    }
  }

  /// Whether a message from there is within the rate of its source.
  func takesMessage(from source: IPAddress) -> Bool {
    let now = Loop.now()
    guard isProvider?(source) == true else { return messageMeter.takes(from: source, now: now) }
    return providerMeter.takes(from: source, now: now)
  }

  func count(_ counter: WritableKeyPath<SIPCounters, Int>) { counters[keyPath: counter] += 1 }

  func nextConnection() -> UInt64 {
    lastConnection += 1
    return lastConnection
  }
}
