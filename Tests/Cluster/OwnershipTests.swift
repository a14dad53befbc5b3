import Primitives
import Store
import Testing

@testable import Cluster

private func node(_ name: String) throws -> NodeID { try #require(NodeID(name)) }
private func holder(_ name: String, _ incarnation: UInt64 = 1) throws -> Holder { Holder(node: try node(name), incarnation: incarnation) }

private func accounts(_ count: Int) throws -> [AccountID] {
  var random = SeededRandom(seed: 1)
  return try (0..<count).map { _ in try #require(AccountID(bytes: random.bytes(16))) }
}

private func snapshot(_ id: AccountID) -> Snapshot {
  Snapshot(
    account: Account(id: id, registrar: "r", user: "u", domain: "d", credentials: []), version: Version(number: 1))
}

@Suite struct OwnershipTests {
  @Test func everyNodeFindsTheSameOwnerAndOnlyItsShareMoves() throws {
    let three = try ["a", "b", "c"].map { try node($0) }
    let all = try accounts(3000)
    let before = all.map { Rendezvous.owner(of: $0, among: three) }
    for name in three { #expect((800...1200).contains(before.count { $0 == name })) }
    let after = all.map { Rendezvous.owner(of: $0, among: Array(three.dropLast()).reversed()) }
    for (old, new) in zip(before, after) where old != three[2] { #expect(old == new) }
    #expect(Rendezvous.owner(of: all[0], among: []) == nil)
  }

  /// `a` and `b` live; `a` looks at what `c` had.
  private func scene() throws -> (Ownership, mine: [AccountID], theirs: [AccountID]) {
    var ownership = Ownership(node: try node("a"), now: .zero)
    _ = ownership.stoodUp(try holder("a"), now: .zero)
    ownership.lives([try holder("a"), try holder("b")], now: .zero)
    let all = try accounts(800)
    let mine = all.filter { ownership.owner(of: $0)?.name == "a" }
    return (ownership, mine, all.filter { !mine.contains($0) })
  }

  private func listed(_ ids: [AccountID]) -> [StoreReply.ListedAccount] { ids.map { .init(id: $0, epoch: Epoch(number: 5)) } }

  /// The store was told of a later owner than this node, by one that had been stopped, and that has died or let it go since.
  @Test(arguments: [false, true]) func whatALaterOwnerHadIsClaimedAnew(hasLetGo: Bool) throws {
    var (ownership, mine, _) = try scene()
    let (here, dead) = (try holder("a"), hasLetGo ? nil : try holder("c"))
    _ = ownership.pageRead(of: nil, listed([mine[0]]), next: nil)
    _ = ownership.claimed(listed([mine[0]]), by: here, .claims([.owned(Epoch(number: 6), snapshot(mine[0]))]))
    #expect(ownership.pageRead(of: dead, listed([mine[0]]), next: nil) == [], "it was that before")
    let later = [StoreReply.ListedAccount(id: mine[0], epoch: Epoch(number: 7))]
    #expect(ownership.pageRead(of: dead, later, next: nil) == [.disown(mine[0]), .claim(later, here)])
  }

  @Test func ofADeadNodeItClaimsItsShareCallsFirst() throws {
    var (ownership, mine, theirs) = try scene()
    let dead = try holder("c")
    #expect(ownership.died(dead) == [.readHomes(dead, after: nil), .readAccounts(of: dead, after: nil)])
    let (many, here) = (StoreCommand.claimsAtOnce, try holder("a"))
    let under = many * Ownership.mostClaims
    let claims = ownership.pageRead(of: dead, listed(Array(mine.dropLast(2)) + theirs), next: nil)
    #expect(claims == (0..<Ownership.mostClaims).map { .claim(listed(Array(mine[($0 * many)..<(($0 + 1) * many)])), here) })
    // One of them waits already, the other is new.
    let withCall = [mine[under + 1], mine[mine.count - 1]]
    #expect(ownership.homesRead(dead, listed(withCall), next: nil).isEmpty)
    let first = listed(Array(mine[0..<many]))
    var outcomes = Array(repeating: StoreReply.noAccount, count: many)
    outcomes[1] = .owned(Epoch(number: 6), snapshot(mine[1]))
    let actions = ownership.claimed(first, by: here, .claims(outcomes))
    let fence = Fence(holder: here, epoch: Epoch(number: 6))
    let next = withCall + [mine[under]] + mine[(under + 2)..<(under + many - 1)]
    #expect(actions == [.own(snapshot(mine[1]), fence), .claim(listed(next), here)])
  }

  @Test func callsOfAccountsThatItHasAreAdopted() throws {
    var (ownership, mine, _) = try scene()
    ownership.created(mine[0], Fence(holder: try holder("a"), epoch: Epoch(number: 1)))
    let dead = try holder("c")
    #expect(
      ownership.homesRead(dead, listed([mine[0]]), next: mine[0]) == [
        .adoptCalls(mine[0], from: dead.node), .readHomes(dead, after: mine[0]),
      ])
  }

  @Test func anAccountOfALivingNodeIsLeftToIt() throws {
    var (ownership, mine, _) = try scene()
    let (here, nine) = (try holder("a"), Epoch(number: 9))
    let both = listed([mine[0], mine[1]])
    #expect(ownership.pageRead(of: nil, both, next: nil) == [.claim(both, here)])
    let (living, gone) = (Fence(holder: try holder("b"), epoch: nine), Fence(holder: try holder("c"), epoch: nine))
    let again = [StoreReply.ListedAccount(id: mine[1], epoch: nine)]
    #expect(ownership.claimed(both, by: here, .claims([.ownedBy(living), .ownedBy(gone)])) == [.claim(again, here)])
    #expect(ownership.claimed(again, by: here, .claims([.ownedBy(gone)])).isEmpty, "the store does not take it for dead")
  }

  @Test func aSweepFindsWhatNobodyHas() throws {
    var (ownership, mine, theirs) = try scene()
    let (here, dead) = (try holder("a"), try holder("c"))
    #expect(ownership.deadlineReached(now: .ms(2000)) == [.readStrays(here)])
    #expect(ownership.straysRead(Strays()).isEmpty)
    #expect(
      ownership.straysRead(Strays(unowned: 1, dead: [dead])) == [
        .readHomes(dead, after: nil), .readAccounts(of: dead, after: nil), .readAccounts(of: nil, after: nil),
      ])
    // The store has given an account, and nobody has heard of it.
    #expect(ownership.straysRead(Strays(owned: 1)).isEmpty)
    #expect(ownership.straysRead(Strays(owned: 1)) == [.readAccounts(of: here, after: nil)])
    let one = listed([theirs[0]])
    #expect(ownership.pageRead(of: here, one, next: nil) == [.claim(one, here)])
    // A claim without an answer is made once more; an answer to a former life says nothing.
    #expect(ownership.claimed(one, by: here, .unavailable).isEmpty)
    #expect(ownership.deadlineReached(now: .ms(4000)).contains(.claim(one, here)))
    let five = StoreReply.claims([.owned(Epoch(number: 5), snapshot(theirs[0]))])
    #expect(ownership.claimed(one, by: try holder("a", 0), five).isEmpty)
    _ = ownership.claimed(one, by: here, five)
    #expect(ownership.owned[theirs[0]] == Fence(holder: here, epoch: Epoch(number: 5)))
    _ = ownership.pageRead(of: nil, listed(mine), next: nil)
    #expect(ownership.straysRead(Strays(unowned: 1, dead: [dead])).isEmpty, "there is enough to claim")
  }

  @Test func whatBelongsToANodeThatHasComeMovesGently() throws {
    var (ownership, _, theirs) = try scene()
    for account in theirs { ownership.created(account, Fence(holder: try holder("a"), epoch: Epoch(number: 1))) }
    #expect(!ownership.deadlineReached(now: .ms(2000)).contains { if case .handOver = $0 { true } else { false } })
    let moves = ownership.deadlineReached(now: .ms(6000)).filter { if case .handOver = $0 { true } else { false } }
    #expect(moves.count == Ownership.mostMoves)
    guard case .handOver(let account, _) = moves[0] else { return }
    #expect(ownership.released(account) == [.disown(account)])
  }

  @Test func aNodeThatGoesAsksAgainForWhatCouldNotGo() throws {
    var (ownership, mine, _) = try scene()
    let fence = Fence(holder: try holder("a"), epoch: Epoch(number: 1))
    ownership.created(mine[0], fence)
    #expect(ownership.leave(now: .ms(6000)) == [.handOver(mine[0], fence)])
    #expect(ownership.deadlineReached(now: .ms(7000)) == [])
    ownership.kept(mine[0])
    #expect(!ownership.isEmpty)
    #expect(ownership.deadlineReached(now: .ms(8000)) == [.handOver(mine[0], fence)])
    #expect(ownership.released(mine[0]) == [.disown(mine[0])])
    #expect(ownership.isEmpty)
  }

  @Test func whoYieldsForgets() throws {
    var (ownership, mine, _) = try scene()
    ownership.created(mine[0], Fence(holder: try holder("a"), epoch: Epoch(number: 1)))
    #expect(ownership.fenced(mine[0]) == [.disown(mine[0])])
    #expect(ownership.fenced(mine[0]).isEmpty)
    #expect(ownership.stoodDown() == [.suspendAll])
    #expect(ownership.died(try holder("c")).isEmpty)
  }
}
