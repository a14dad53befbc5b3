public import Primitives
public import Store

/// Whether this node may act, and which others live: leases in the store, and what the peers say.
///
/// Time is this process's own monotonic clock; a lease counts from the moment at which its renewal was sent, so whoever may take over
/// later counts from a later moment. The question `mayAct` is asked when something is sent, not only on a timer: a process that was
/// stopped and goes on finds its lease gone before it does anything in another's name.
///
/// Nobody is dead before the store has said so. A node that misses another one asks the store to bury it; the store looks at the lease
/// once more, in the same step, and answers. So where the store was away for longer than a lease, or comes back empty, and everybody
/// renews again, nobody took over anything and all go on as who they were. A burial that a fail-over loses after it was announced takes
/// nothing back: what its announcement led to are claims with greater epochs (see the store's `Membership`).
public struct Membership: Sendable, Equatable {
  public enum Action: Sendable, Equatable {
    /// With an incarnation greater than the last one that this process had. The reply comes back as `joined`.
    case join(after: UInt64)
    /// The reply comes back as `renewed`, with the moment at which it was sent.
    case renew(Holder, sentAt: Instant)
    /// Asks the peer to renew for us; the reply comes back in the same way.
    case renewThrough(NodeID, Holder, sentAt: Instant)
    case readMembers(sentAt: Instant)
    /// The reply comes back as `buried` or `leaseLives`.
    case bury(Holder, unrenewedFor: Duration)
    case leave(Holder)
    /// Say to every peer whether the store answers, and hear the same of it.
    case greetPeers([Member])
    /// A connection broke: is its host still listening?
    case knock(Member)
    /// From now on this node acts as this holder.
    case stoodUp(Holder)
    /// From now on it does nothing in anybody's name.
    case stoodDown
    /// These live, this node among them.
    case lives([Holder])
    /// This node has died: what it owned is there to be claimed.
    case died(Holder)
  }

  enum Standing: Sendable, Equatable {
    case joining
    case active(Holder)
    case left
  }

  public let node: NodeID
  private var standing = Standing.joining
  private var others: [NodeID: Peer] = [:]
  /// Nodes that have spoken and stand in no list that came here: they came while the store did not answer this one.
  private var strangers: [NodeID: Peer] = [:]
  /// The other nodes that live, as far as is known.
  public var peers: [Member] { others.values.map(\.member).sorted() }

  /// Whether the peer has answered lately.
  public func reaches(_ peer: NodeID, now: Instant) -> Bool { others[peer]?.freshWord(now: now) != nil }

  /// Whether it lives, as the store has just been told, and does not hear this node: others may reach it.
  public func isCutOff(_ peer: NodeID, now: Instant) -> Bool {
    guard let known = others[peer], known.hasFallenSilent(now: now) else { return false }
    return known.renewedAgo(now: now) <= ClusterTimes.missedRenewal + ClusterTimes.renewal
  }

  /// When the newest renewal that succeeded was sent.
  public private(set) var renewedAt: Instant
  private var nextRound: Instant
  /// Since when its rounds have come in time.
  private var awakeSince: Instant
  /// Since when the store has answered without a break; nil while it does not.
  private var answersSince: Instant?
  /// When the store last answered this node.
  public private(set) var lastAnswer: Instant?
  /// Where something was asked and not answered yet: when the first of it was.
  private var askedAt: Instant?
  /// Since when peers renew its lease, since the store answers them and not this node.
  private var helpedSince: Instant?
  /// Burials that the store has not answered yet.
  private var burying: Set<Holder> = []
  /// Since when a join is under way.
  private var joiningSince: Instant?
  /// This process's last life.
  private var lastIncarnation: UInt64 = 0

  /// Those whose lease has run out, and whom nobody has judged: one that the store does not answer hears of us before that.
  private var lapsed: [Member] = []

  /// The dead, for a while: as long as nobody knows that they have not come back, they may have, and the store may answer them.
  private var departed: [NodeID: Departed] = [:]

  private struct Departed: Sendable, Equatable {
    var peer: Peer
    let until: Instant
  }

  private static let departing = Duration.seconds(60)
  private static let mostStrangers = 64

  public init(node: NodeID, now: Instant) {
    self.node = node
    renewedAt = now
    nextRound = now
    awakeSince = now
  }

  /// The holder that this node is; nil while it is none.
  public var holder: Holder? { if case .active(let holder) = standing { holder } else { nil } }

  public var nextDeadline: Instant? { standing == .left ? nil : nextRound }

  /// Until the own lease runs out, by the own clock.
  public func leaseLeft(now: Instant) -> Duration { max(renewedAt + ClusterTimes.lease - now, .zero) }

  /// Whether anything may be done in this node's name at this moment.
  public func mayAct(now: Instant) -> Bool {
    guard holder != nil else { return false }
    return now - renewedAt < ClusterTimes.doubt || mayGoOn(now: now)
  }

  /// Without a renewal: a node that knew no other goes on; one that does not reach each of those that it knew does not, since whom it
  /// does not hear the store may answer, nor one to which a peer says that it does. Where the store answers nobody, nobody can take
  /// anything over, and all go on. When it answers again,
  /// one hears of it before the other: there is time to renew before anybody judges. A process that was stopped since its last renewal
  /// knows nothing of what has happened meanwhile: somebody may have come whom it never knew.
  private func mayGoOn(now: Instant) -> Bool {
    guard awakeSince <= renewedAt, !wasStopped(now: now) else { return false }
    guard !strangers.values.contains(where: { $0.maySoonJudge(now: now) }) else { return false }
    let known = others.values.filter { !$0.isGone(now: now) }
    let unheard = departed.filter { !$0.value.peer.isGone(now: now) && strangers[$0.key]?.freshWord(now: now) == nil }
    return unheard.isEmpty && known.allSatisfy { $0.freshWord(now: now) != nil && !$0.maySoonJudge(now: now) }
  }

  /// Whether it could go on without a lease: nobody else can take anything over.
  public func isUndisputed(now: Instant) -> Bool { holder != nil && mayGoOn(now: now) }

  private func wasStopped(now: Instant) -> Bool { now - nextRound + ClusterTimes.renewal >= ClusterTimes.doubt }

  // MARK: Time

  public mutating func deadlineReached(now: Instant) -> [Action] {
    guard standing != .left, now >= nextRound else { return [] }
    if wasStopped(now: now) { (awakeSince, answersSince) = (now, nil) }
    nextRound = now + ClusterTimes.renewal
    departed = departed.filter { $0.value.until > now }
    noteSilence(now: now)
    let down = standDownIfDue(now: now)
    guard let holder else { return down + join(now: now) + [.readMembers(sentAt: asked(now))] }
    let direct: [Action] = [
      .renew(holder, sentAt: asked(now)), .readMembers(sentAt: now), .greetPeers(greeted),
    ]
    return down + direct + helpers(holder, now: now) + knockAgain(now: now) + buryTheRefusing(now: now)
  }

  /// One at a time: each that the store hears is the end of the life that the one before began. What waited for the store to come back
  /// would come to it all at once.
  private mutating func join(now: Instant) -> [Action] {
    if let joiningSince, now - joiningSince < ClusterTimes.answer + ClusterTimes.renewal { return [] }
    joiningSince = now
    return [.join(after: lastIncarnation)]
  }

  private mutating func asked(_ now: Instant) -> Instant {
    askedAt = askedAt ?? now
    return now
  }

  /// A question that has waited too long breaks the row of answers.
  private mutating func noteSilence(now: Instant) {
    if let askedAt, now - askedAt > ClusterTimes.answer { answersSince = nil }
  }

  /// Where nobody listened a moment ago somebody may have come back meanwhile, whom the store answers.
  private func knockAgain(now: Instant) -> [Action] {
    isLate(now: now) ? others.values.filter { $0.link == .refused }.map(\.member).sorted().map { .knock($0) } : []
  }

  /// Two renewals are missing.
  private func isLate(now: Instant) -> Bool { now - renewedAt > ClusterTimes.renewal * 2 }

  private var greeted: [Member] {
    let silent = lapsed.filter { others[$0.holder.node] == nil && departed[$0.holder.node] == nil }
    return (others.values.map(\.member) + departed.values.map(\.peer.member) + silent).sorted()
  }

  /// Others that the store answers are asked, for a while.
  private mutating func helpers(_ holder: Holder, now: Instant) -> [Action] {
    guard isLate(now: now) else { return [] }
    let helpers = others.values.filter { $0.freshWord(now: now) == true }.map(\.member.holder.node).sorted()
    let since = helpedSince ?? now
    helpedSince = helpers.isEmpty ? nil : since
    return now - since < ClusterTimes.throughPeers ? helpers.map { .renewThrough($0, holder, sentAt: now) } : []
  }

  /// Whatever happens, this comes before it: a process that was stopped and goes on has lost its lease in the meantime.
  public mutating func standDownIfDue(now: Instant) -> [Action] {
    guard holder != nil, !mayAct(now: now) else { return [] }
    return standDown()
  }

  private mutating func standDown() -> [Action] {
    standing = .joining
    burying = []
    return [.stoodDown]
  }

  // MARK: The store

  public mutating func joined(_ holder: Holder, sentAt: Instant, now: Instant) -> [Action] {
    answered(now: now)
    joiningSince = nil
    guard standing == .joining, now - sentAt < ClusterTimes.doubt else { return [] }
    standing = .active(holder)
    lastIncarnation = holder.incarnation
    renewedAt = sentAt
    return [.stoodUp(holder), .lives(living)]
  }

  /// Directly or through a peer. A renewal that comes back too late still counts from when it was sent.
  public mutating func renewed(_ renewal: Holder, sentAt: Instant, throughPeer: Bool, now: Instant) {
    if !throughPeer { answered(now: now) }
    if renewal == holder { renewedAt = max(renewedAt, sentAt) }
  }

  /// Somebody has buried this node.
  public mutating func leaseLost(_ lost: Holder, now: Instant) -> [Action] {
    answered(now: now)
    return lost == holder ? standDown() : []
  }

  /// Whatever became of it, the store will not hear it any more.
  public mutating func joinFailed() {
    joiningSince = nil
    storeFailed()
  }

  /// The store did not answer, or said that it cannot.
  public mutating func storeFailed() {
    answersSince = nil
    burying = []
  }

  private mutating func answered(now: Instant) {
    (askedAt, helpedSince) = (nil, nil)
    lastAnswer = now
    answersSince = answersSince ?? now
  }

  public mutating func membersRead(_ members: [Member], sentAt: Instant, now: Instant) -> [Action] {
    answered(now: now)
    lapsed = Array(members.filter { $0.holder.node != node && $0.remaining == .zero }.prefix(Self.mostStrangers))
    let alive = members.filter { $0.holder.node != node && $0.remaining > .zero }
    let listed = Dictionary(alive.map { ($0.holder.node, $0) }) { first, _ in first }
    let before = living
    let former = listed.values.sorted().flatMap { see($0, sentAt) }
    let missing = others.values.filter { listed[$0.member.holder.node] == nil }.map(\.member.holder)
    let unmet = lapsed.map(\.holder).filter { others[$0.node]?.member.holder != $0 }
    return (living == before ? [] : [.lives(living)]) + former + judge(missing + unmet, now: now)
  }

  /// A later life: the one before it is dead, whatever its lease said. An earlier one comes from a store that is behind.
  private mutating func see(_ member: Member, _ sentAt: Instant) -> [Action] {
    let id = member.holder.node
    let known = others[id]?.member.holder
    guard known != member.holder else {
      others[id]?.member = member
      others[id]?.readAt = sentAt
      return []
    }
    guard known.map({ $0 < member.holder }) ?? true else { return [] }
    others[id] = Peer(member, readAt: sentAt)
    strangers[id] = nil
    departed[id] = nil
    return known.map { [.died($0)] } ?? []
  }

  // MARK: The dead

  /// Nobody is judged before the store has answered for a whole lease time: the others may be renewing for the first time again.
  private func mayJudge(now: Instant) -> Bool {
    guard holder != nil, let answersSince else { return false }
    return now - answersSince >= ClusterTimes.lease
  }

  private mutating func judge(_ holders: [Holder], now: Instant) -> [Action] {
    mayJudge(now: now) ? bury(holders, unrenewedFor: ClusterTimes.lease) : []
  }

  private mutating func bury(_ holders: [Holder], unrenewedFor pause: Duration) -> [Action] {
    holders.sorted().filter { burying.insert($0).inserted }.map { .bury($0, unrenewedFor: pause) }
  }

  /// Holders without a lease that still own something; perhaps this node never met them. Peers are judged by the list of members.
  public mutating func silent(_ holders: [Holder], now: Instant) -> [Action] {
    judge(holders.filter { $0.node != node && others[$0.node]?.member.holder != $0 }, now: now)
  }

  /// The store has buried it, now or before.
  public mutating func buried(_ dead: Holder, now: Instant) -> [Action] {
    answered(now: now)
    guard burying.remove(dead) != nil else { return [] }
    guard let peer = others[dead.node] ?? unmet(dead, now: now), peer.member.holder == dead else { return [.died(dead)] }
    let wasKnown = others.removeValue(forKey: dead.node) != nil
    departed[dead.node] = Departed(peer: peer, until: now + Self.departing)
    return (wasKnown ? [.lives(living)] : []) + [.died(dead)]
  }

  /// It had no lease any more when this node first read of it.
  private func unmet(_ dead: Holder, now: Instant) -> Peer? { lapsed.first { $0.holder == dead }.map { Peer($0, readAt: now) } }

  /// It has been renewed meanwhile, or has the time to say that it lives.
  public mutating func leaseLives(_ holder: Holder, now: Instant) {
    answered(now: now)
    burying.remove(holder)
  }

  // MARK: Peers

  /// A peer has greeted this node. Nobody knows for how long that was on its way: it never is a reason to go on without the store, and
  /// says nothing where the peer has answered a moment ago.
  public mutating func greeted(by id: NodeID, storeAnswers: Bool, now: Instant) {
    guard storeAnswers, (others[id] ?? strangers[id])?.freshWord(now: now) == nil else { return }
    heard(id, storeAnswers: true, now: now)
  }

  /// A peer has answered: whether the store answers it, and for how long it has without a break.
  public mutating func heard(_ id: NodeID, storeAnswers: Bool, _ word: StoreWord? = nil, now: Instant) {
    guard others[id] == nil else {
      let word = mayBeOld(now: now) ? nil : word
      others[id]?.heard(storeAnswers: storeAnswers, word, now: now)
      return
    }
    guard strangers[id] != nil || strangers.count < Self.mostStrangers else { return }
    let nobody = Member(holder: Holder(node: id, incarnation: 0), peerAddress: "", remaining: .zero)
    strangers[id, default: Peer(nobody, readAt: now)].heard(storeAnswers: storeAnswers, nil, now: now)
  }

  /// Whether what is heard now may have waited for this process, which was stopped.
  private func mayBeOld(now: Instant) -> Bool { wasStopped(now: now) || now - awakeSince < ClusterTimes.renewal }

  /// The connection to a peer broke, or it did not answer.
  public mutating func lost(_ id: NodeID) -> [Action] {
    guard let peer = others[id], peer.link != .refused else { return [] }
    others[id]?.link = .silent
    return [.knock(peer.member)]
  }

  /// Its host refused a new connection.
  public mutating func refused(_ id: NodeID, now: Instant) -> [Action] {
    departed[id]?.peer.refused(now: now)
    guard others[id] != nil else { return [] }
    others[id]?.refused(now: now)
    return buryTheRefusing(now: now)
  }

  /// What this node tells a peer of the store. nil: it does not answer.
  public func storeWord(now: Instant) -> StoreWord? {
    guard let lastAnswer, let answersSince, now - lastAnswer <= ClusterTimes.answer + ClusterTimes.renewal else { return nil }
    return StoreWord(unbrokenFor: now - answersSince, answeredAgo: now - lastAnswer)
  }

  /// Whether the store has answered somebody all the time since then, and still at the second moment: then it was this node's way to it that
  /// was broken, and nothing that the store had is lost.
  public func storeAnsweredOthers(since begin: Instant, until end: Instant, now: Instant) -> Bool {
    others.values.contains { peer in
      guard peer.freshWord(now: now) == true, let answered = peer.answered else { return false }
      return answered.since <= begin && answered.last >= end
    }
  }

  /// Refused, and the lease has missed a renewal: that process is gone, and nobody has to wait for its lease to run out. Only the
  /// incarnation that was seen is buried: one that has just started again lives.
  private mutating func buryTheRefusing(now: Instant) -> [Action] {
    guard holder != nil, answersSince != nil else { return [] }
    let dead = others.values.filter { peer in
      peer.link == .refused && peer.renewedAgo(now: now) >= ClusterTimes.missedRenewal
    }
    return bury(dead.map(\.member.holder), unrenewedFor: ClusterTimes.missedRenewal)
  }

  private var living: [Holder] { ([holder].compactMap(\.self) + others.values.map(\.member.holder)).sorted() }

  // MARK: The end

  /// This node goes, with everything handed over.
  public mutating func leave() -> [Action] {
    let holder = holder
    standing = .left
    return holder.map { [.leave($0)] } ?? []
  }
}
