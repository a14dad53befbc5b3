internal import CCares
internal import CLibUV
internal import Glibc
internal import Primitives

/// One c-ares channel. Its sockets are polled by the loop, its time limits kept by a timer.
@LoopActor
@safe
final class ResolverChannel {
  private var channel: ares_channel?
  private var sockets: [Int32: ResolverSocket] = [:]
  private var timer: LoopTimer?

  init(_ servers: [SocketAddress], _ limits: ResolverLimits) throws(NetworkError) {
    guard ares_library_init(ARES_LIB_INIT_ALL) == ARES_SUCCESS, open(limits) else { throw .resolverFailed }
    guard !servers.isEmpty else { return }
    let list = servers.map(\.text).joined(separator: ",")
    guard unsafe ares_set_servers_ports_csv(channel, list) == ARES_SUCCESS else { throw .resolverFailed }
  }

  isolated deinit { close() }

  private func open(_ limits: ResolverLimits) -> Bool {
    var options = unsafe ares_options()
    unsafe options.flags = ARES_FLAG_NOSEARCH
    // Two rounds, the second twice as long, end just before the limit of the whole question.
    unsafe options.timeout = Int32(clamping: limits.timeout.wholeMilliseconds * 3 / 10)
    unsafe options.tries = 2
    unsafe options.sock_state_cb_data = Unmanaged.passUnretained(self).toOpaque()
    unsafe options.sock_state_cb = { context, descriptor, readable, writable in
      guard let context = unsafe context else { return }
      let owner = unsafe Unmanaged<ResolverChannel>.fromOpaque(context).takeUnretainedValue()
      LoopActor.assumeIsolated { owner.socketChanged(descriptor, readable != 0, writable != 0) }
    }
    let mask = ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_SOCK_STATE_CB
    return unsafe ares_init_options(&channel, &options, mask) == ARES_SUCCESS
  }

  /// Ends all questions.
  func close() {
    guard let channel = unsafe channel else { return }
    unsafe self.channel = nil
    timer?.cancel()
    unsafe ares_destroy(channel)
  }

  // MARK: Questions

  func addresses(of name: String, isIPv6: Bool, _ completion: @escaping ResolverTable<IPAddress>.Completion) {
    guard let channel = unsafe channel else { return completion(.failure(.closed)) }
    var hints = ares_addrinfo_hints()
    hints.ai_family = isIPv6 ? AF_INET6 : AF_INET
    hints.ai_flags = ARES_AI_NOSORT
    let question = AddressQuestion(completion)
    unsafe ares_getaddrinfo(
      channel, name, nil, &hints,
      { context, status, _, list in
        defer { if unsafe list != nil { unsafe ares_freeaddrinfo(list) } }
        guard let context = unsafe context else { return }
        let question = unsafe Unmanaged<AddressQuestion>.fromOpaque(context).takeRetainedValue()
        let found = unsafe AddressQuestion.read(list)
        LoopActor.assumeIsolated { question.answered(status, found) }
      }, Unmanaged.passRetained(question).toOpaque())
    wait()
  }

  func services(_ name: String, _ completion: @escaping ResolverTable<SRVRecord>.Completion) {
    query(name, type: 33) { [self] status, reply in completion(outcome(status, reply) { ReplyReader.services(in: $0) }) }
  }

  func pointers(_ name: String, _ completion: @escaping ResolverTable<NAPTRRecord>.Completion) {
    query(name, type: 35) { [self] status, reply in completion(outcome(status, reply) { ReplyReader.pointers(in: $0) }) }
  }

  private func query(_ name: String, type: Int32, _ body: @escaping @LoopActor (Int32, Bytes) -> Void) {
    guard let channel = unsafe channel else { return body(ARES_EDESTRUCTION, []) }
    let question = RecordQuestion(body)
    unsafe ares_query(
      channel, name, 1, type,
      { context, status, _, bytes, count in
        guard let context = unsafe context else { return }
        let question = unsafe Unmanaged<RecordQuestion>.fromOpaque(context).takeRetainedValue()
        let reply = unsafe Bytes(UnsafeBufferPointer(start: bytes, count: Int(count)))
        LoopActor.assumeIsolated { question.answered(status, reply) }
      }, Unmanaged.passRetained(question).toOpaque())
    wait()
  }

  private func outcome<Record>(_ status: Int32, _ reply: Bytes, _ read: (Bytes) -> [Record]?) -> Result<Answer<Record>, NetworkError> {
    guard status == ARES_SUCCESS else { return .failure(NetworkError(ares: status)) }
    guard let records = read(reply), let ttl = ReplyReader.shortestTTL(in: reply) else { return .failure(.resolverFailed) }
    return records.isEmpty ? .failure(.nameNotFound) : .success(Answer(records: records, expires: Loop.now() + ttl))
  }

  // MARK: Sockets and time

  private func socketChanged(_ descriptor: Int32, _ readable: Bool, _ writable: Bool) {
    guard readable || writable else {
      sockets.removeValue(forKey: descriptor)?.close()
      return
    }
    let socket = sockets[descriptor] ?? ResolverSocket(descriptor) { [weak self] in self?.process($0, $1) }
    sockets[descriptor] = socket
    socket.watch(readable: readable, writable: writable)
  }

  private func process(_ readable: Int32, _ writable: Int32) {
    guard let channel = unsafe channel else { return }
    unsafe ares_process_fd(channel, readable, writable)
    wait()
  }

  /// c-ares says how long it may stay undisturbed.
  private func wait() {
    timer?.cancel()
    guard let channel = unsafe channel else { return }
    var time = timeval()
    guard unsafe ares_timeout(channel, nil, &time) != nil else { return }
    timer = Loop.after(.seconds(time.tv_sec) + .microseconds(time.tv_usec)) { [weak self] in self?.process(-1, -1) }
  }
}

/// A question for addresses on its way through c-ares.
@LoopActor
private final class AddressQuestion {
  private let completion: ResolverTable<IPAddress>.Completion

  init(_ completion: @escaping ResolverTable<IPAddress>.Completion) { self.completion = completion }

  func answered(_ status: Int32, _ found: (addresses: [IPAddress], ttl: Int32)) {
    guard status == ARES_SUCCESS else { return completion(.failure(NetworkError(ares: status))) }
    guard !found.addresses.isEmpty else { return completion(.failure(.nameNotFound)) }
    completion(.success(Answer(records: found.addresses, expires: Loop.now() + .seconds(Int(found.ttl)))))
  }

  /// The addresses of the list and the shortest TTL.
  nonisolated static func read(_ list: UnsafeMutablePointer<ares_addrinfo>?) -> (addresses: [IPAddress], ttl: Int32) {
    var addresses: [IPAddress] = []
    var ttl = Int32.max
    var next = unsafe list?.pointee.nodes
    while let node = unsafe next {
      if let address = unsafe SocketAddress(system: node.pointee.ai_addr) { addresses.append(address.ip) }
      ttl = unsafe min(ttl, max(0, Int32(node.pointee.ai_ttl)))
      unsafe next = node.pointee.ai_next
    }
    return (addresses, ttl)
  }
}

/// A question for other records, likewise.
@LoopActor
private final class RecordQuestion {
  private let body: @LoopActor (Int32, Bytes) -> Void

  init(_ body: @escaping @LoopActor (Int32, Bytes) -> Void) { self.body = body }

  func answered(_ status: Int32, _ reply: Bytes) { body(status, reply) }
}
