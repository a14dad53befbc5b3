import Primitives
import SIP
import Store

/// What providers have sent while nothing may be said about it: this node has no lease, or asks the store whose the call is. What comes
/// over a connection is not sent twice, so it is kept until then. What comes in a datagram comes again.
struct Backlog: Sendable, Equatable {
  struct Entry: Sendable, Equatable {
    let request: Request
    let transaction: ServerTransactionID
    let flow: Flow
    let since: Instant

    /// Whether it would begin a call.
    var isNewCall: Bool { request.method == .invite && ((try? request.toTag) ?? nil) == nil }
  }

  /// Above that the next one gets no answer.
  static let most = 1000
  /// Of an INVITE that its provider has had no answer to, not even 100.
  static let longestWait = Duration.seconds(12)
  private var entries: [Entry] = []

  var isEmpty: Bool { entries.isEmpty }
  var count: Int { entries.count }

  /// Whether there was room.
  mutating func append(_ entry: Entry) -> Bool {
    guard entries.count < Self.most else { return false }
    entries.append(entry)
    return true
  }

  /// In the order in which they came.
  mutating func takeAll() -> [Entry] {
    defer { entries = [] }
    return entries
  }

  func flow(of invite: ServerTransactionID) -> Flow? { entries.first { $0.transaction == invite }?.flow }
}

extension Switchboard {
  /// nil: there is nothing to wait for.
  mutating func putOff(_ event: TransactionLayer.Event, now: Instant) -> [Action]? {
    guard let entry = entry(of: event, now: now), isPassive || isInDoubt(entry) else { return nil }
    guard !isPassive || entry.flow.transport.isReliable, backlog.append(entry) else { return [.drop(entry.transaction)] }
    return []
  }

  private func entry(of event: TransactionLayer.Event, now: Instant) -> Backlog.Entry? {
    switch event {
    case .request(let request, let id, let flow): Backlog.Entry(request: request, transaction: id, flow: flow, since: now)
    case .cancel(let invite, let request, let id):
      flow(of: invite).map { Backlog.Entry(request: request, transaction: id, flow: $0, since: now) }
    case .response, .timedOut, .transportFailed, .noACK, .acknowledged, .ended: nil
    }
  }

  private func flow(of invite: ServerTransactionID) -> Flow? {
    callOfTransaction[invite].flatMap { calls[$0]?.flow } ?? backlog.flow(of: invite)
  }

  private func isInDoubt(_ entry: Backlog.Entry) -> Bool { call(of: entry).map { inDoubt.contains($0) } ?? false }

  private func call(of entry: Backlog.Entry) -> CallID? {
    if entry.request.method == .cancel { return callOfTransaction[entry.transaction.ofInvite] }
    guard let callID = try? entry.request.callID, let tag = (try? entry.request.toTag) ?? nil else { return nil }
    return callOfDialog[DialogKey(callID: Array(callID), localTag: Array(tag))]
  }

  /// It is known whose a call is: what waited for that happens now, and the rest waits on.
  mutating func catchUp(now: Instant) -> [Action] {
    isPassive || backlog.isEmpty ? [] : backlog.takeAll().flatMap { happens($0, now: now) }
  }

  /// An INVITE that has waited for too long is refused: nobody tells us that its provider has given up meanwhile, and a phone would ring for
  /// nobody.
  private mutating func happens(_ entry: Backlog.Entry, now: Instant) -> [Action] {
    guard !entry.isNewCall || now - entry.since < Backlog.longestWait else {
      return [.note(.callRejected(.overloaded))] + refuse(entry.request, entry.transaction, 503)
    }
    return provider(.request(entry.request, entry.transaction, from: entry.flow), now: now)
  }
}
