import Primitives
import Store
import Testing

@testable import Cluster

/// A node's membership, and what the store and the peers say to it.
private struct Scene {
  var membership: Membership
  let holder: Holder
  var now: Instant

  /// Joined at the second second.
  init(_ name: String) throws {
    now = .ms(2000)
    let node = try #require(NodeID(name))
    membership = Membership(node: node, now: now)
    holder = Holder(node: node, incarnation: 1)
    _ = membership.deadlineReached(now: now)
    _ = membership.joined(holder, sentAt: now, now: now)
  }

  /// One round: the renewal, and the list, come back at once.
  @discardableResult
  mutating func round(members: [Member], renewed: Bool = true) -> [Membership.Action] {
    now = now + ClusterTimes.renewal
    var actions = membership.deadlineReached(now: now)
    if renewed { membership.renewed(holder, sentAt: now, throughPeer: false, now: now) }
    actions += membership.membersRead(members, sentAt: now, now: now)
    return actions
  }

  /// A round in which the store says nothing.
  @discardableResult
  mutating func silence() -> [Membership.Action] {
    now = now + ClusterTimes.renewal
    membership.storeFailed()
    return membership.deadlineReached(now: now)
  }
}

private func member(_ name: String, _ incarnation: UInt64 = 1, remaining: Duration = ClusterTimes.lease) throws -> Member {
  Member(holder: Holder(node: try #require(NodeID(name)), incarnation: incarnation), peerAddress: "127.0.0.1:1", remaining: remaining)
}

@Suite struct MembershipTests {
  @Test func aNodeActsOnceItHasALease() throws {
    let node = try #require(NodeID("a"))
    var membership = Membership(node: node, now: .zero)
    #expect(!membership.mayAct(now: .zero))
    #expect(membership.deadlineReached(now: .zero) == [.join(after: 0), .readMembers(sentAt: .zero)])
    let holder = Holder(node: node, incarnation: 7)
    #expect(membership.joined(holder, sentAt: .zero, now: .ms(10)) == [.stoodUp(holder), .lives([holder])])
    #expect(membership.mayAct(now: .ms(10)))
  }

  /// It knew nobody any more, but somebody may have come while it was stopped, and have buried it.
  @Test func aProcessThatWasStoppedAloneDoesNothingWhenItGoesOn() throws {
    var scene = try Scene("a")
    scene.round(members: [])
    let woken = scene.now + .seconds(10)
    #expect(!scene.membership.mayAct(now: woken))
    #expect(scene.membership.deadlineReached(now: woken).first == .stoodDown)
    #expect(!scene.membership.mayAct(now: woken))
  }

  /// It came when this node could not hear of it from the store any more, and is about to take this node for dead.
  @Test func aNodeToWhichAStrangerSaysThatTheStoreAnswersDoesNotGoOn() throws {
    var scene = try Scene("a")
    scene.round(members: [])
    for _ in 0..<6 {
      scene.silence()
      scene.membership.heard(try #require(NodeID("b")), storeAnswers: true, now: scene.now)
    }
    #expect(!scene.membership.mayAct(now: scene.now))
  }

  @Test func aProcessThatWasStoppedDoesNothingWhenItGoesOn() throws {
    var scene = try Scene("a")
    let peer = try member("b")
    scene.round(members: [peer])
    scene.membership.heard(peer.holder.node, storeAnswers: true, now: scene.now)
    #expect(scene.membership.mayAct(now: scene.now + .milliseconds(1900)))
    #expect(!scene.membership.mayAct(now: scene.now + .seconds(10)))
  }

  @Test func whoIsHeardOfAgainMayHaveJudgedLongAgo() throws {
    var scene = try Scene("a")
    let (one, two) = (try member("b"), try member("c"))
    scene.round(members: [one, two])
    for _ in 0..<10 {
      scene.silence()
      for peer in [one, two] { scene.membership.heard(peer.holder.node, storeAnswers: false, now: scene.now) }
    }
    #expect(scene.membership.mayAct(now: scene.now))
    scene.membership.heard(two.holder.node, storeAnswers: true, now: scene.now + .seconds(3))
    #expect(!scene.membership.mayAct(now: scene.now + .seconds(3)))
  }

  @Test func whoIsNotHeardMayHaveTheStore() throws {
    var scene = try Scene("a")
    let (one, two) = (try member("b"), try member("c"))
    scene.round(members: [one, two])
    for _ in 0..<5 {
      scene.silence()
      scene.membership.heard(one.holder.node, storeAnswers: false, now: scene.now)
    }
    #expect(!scene.membership.mayAct(now: scene.now))
  }

  /// What it says may have been on its way for seconds.
  @Test func aGreetingIsNoReasonToGoOn() throws {
    var scene = try Scene("a")
    let peer = try member("b")
    scene.round(members: [peer])
    for _ in 0..<5 {
      scene.silence()
      scene.membership.greeted(by: peer.holder.node, storeAnswers: false, now: scene.now)
    }
    #expect(!scene.membership.mayAct(now: scene.now))
  }

  @Test func aGreetingIsOneToStop() throws {
    var scene = try Scene("a")
    scene.round(members: [])
    for _ in 0..<6 {
      scene.silence()
      scene.membership.greeted(by: try #require(NodeID("b")), storeAnswers: true, now: scene.now)
    }
    #expect(!scene.membership.mayAct(now: scene.now))
  }

  /// Its next life may be there, and be about to take this node for dead.
  @Test(arguments: [true, false]) func whomItHasBuriedUnmetStillCounts(refuses: Bool) throws {
    var scene = try Scene("a")
    let dead = try member("b", remaining: .zero)
    for _ in 0..<8 { scene.round(members: [dead]) }
    #expect(scene.membership.buried(dead.holder, now: scene.now) == [.died(dead.holder)])
    for _ in 0..<10 {
      scene.silence()
      if refuses { _ = scene.membership.refused(dead.holder.node, now: scene.now) }
    }
    #expect(scene.membership.mayAct(now: scene.now) == refuses)
  }

  /// One that the store does not answer hears of whoever is about to bury it.
  @Test func whoseLeaseHasRunOutIsGreeted() throws {
    var scene = try Scene("a")
    let lapsed = Member(holder: try member("b").holder, peerAddress: "127.0.0.1:1", remaining: .zero)
    scene.round(members: [lapsed])
    #expect(scene.membership.peers.isEmpty)
    #expect(scene.round(members: [lapsed]).contains(.greetPeers([lapsed])))
  }

  @Test func alone_itGoesOnWithoutTheStore() throws {
    var scene = try Scene("a")
    for _ in 0..<20 { scene.silence() }
    #expect(scene.membership.mayAct(now: scene.now))
  }

  @Test func whereTheStoreAnswersAPeerItStandsDown() throws {
    var scene = try Scene("a")
    let peer = try member("b")
    scene.round(members: [peer])
    var actions: [Membership.Action] = []
    for _ in 0..<5 {
      actions += scene.silence()
      scene.membership.heard(peer.holder.node, storeAnswers: true, now: scene.now)
    }
    #expect(actions.contains(.stoodDown))
    #expect(actions.contains { if case .renewThrough(peer.holder.node, scene.holder, _) = $0 { true } else { false } })
  }

  /// For a while: it can take no new call, and its peers can.
  @Test func whereThePeerRenewsForItItGoesOn() throws {
    var scene = try Scene("a")
    let peer = try member("b")
    scene.round(members: [peer])
    let began = scene.now
    while scene.membership.holder != nil, scene.now - began < .seconds(60) {
      let actions = scene.silence()
      scene.membership.heard(peer.holder.node, storeAnswers: true, now: scene.now)
      for case .renewThrough(_, let holder, let sentAt) in actions {
        scene.membership.renewed(holder, sentAt: sentAt, throughPeer: true, now: scene.now)
      }
    }
    let longest = ClusterTimes.throughPeers + ClusterTimes.doubt + ClusterTimes.renewal * 4
    #expect(ClusterTimes.throughPeers...longest ~= scene.now - began)
  }

  @Test func whereTheStoreAnswersNobodyAllGoOn() throws {
    var scene = try Scene("a")
    let peer = try member("b")
    scene.round(members: [peer])
    for _ in 0..<20 {
      #expect(!scene.silence().contains(.stoodDown))
      scene.membership.heard(peer.holder.node, storeAnswers: false, now: scene.now)
    }
    #expect(scene.membership.mayAct(now: scene.now))
  }

  @Test func cutOffFromEverybodyItStandsDown() throws {
    var scene = try Scene("a")
    scene.round(members: [try member("b")])
    var actions: [Membership.Action] = []
    for _ in 0..<5 { actions += scene.silence() }
    #expect(actions.filter { $0 == .stoodDown }.count == 1)
    #expect(!scene.membership.mayAct(now: scene.now))
  }

  @Test func aPeerThatRefusesDoesNotCount() throws {
    var scene = try Scene("a")
    let peer = try member("b")
    scene.round(members: [peer])
    #expect(scene.membership.lost(peer.holder.node) == [.knock(peer)])
    _ = scene.membership.refused(peer.holder.node, now: scene.now)
    // Somebody may have come back there: it is asked again.
    for round in 1...20 {
      let actions = scene.silence()
      #expect(!actions.contains(.stoodDown))
      #expect(actions.contains(.knock(peer)) == (round > 2))
      _ = scene.membership.refused(peer.holder.node, now: scene.now)
    }
    let last = (1...5).flatMap { _ in scene.silence() }
    #expect(last.contains(.stoodDown))
  }

  @Test func refusedAndWithoutARenewalItIsDead() throws {
    var scene = try Scene("a")
    let peer = try member("b")
    scene.round(members: [peer])
    #expect(scene.membership.refused(peer.holder.node, now: scene.now).isEmpty)
    let late = try member("b", remaining: ClusterTimes.lease - .milliseconds(500))
    let actions = scene.round(members: [late]) + scene.round(members: [try member("b", remaining: .seconds(2))])
    #expect(actions.filter { $0 == .bury(peer.holder, unrenewedFor: ClusterTimes.missedRenewal) }.count == 1)
    #expect(!actions.contains(.died(peer.holder)))
    #expect(scene.membership.buried(peer.holder, now: scene.now) == [.lives([scene.holder]), .died(peer.holder)])
    #expect(scene.membership.buried(peer.holder, now: scene.now).isEmpty)
  }

  @Test func whoseLeaseLivesIsNotDead() throws {
    var scene = try Scene("a")
    let peer = try member("b")
    for _ in 0..<10 { scene.round(members: [peer]) }
    let burial = Membership.Action.bury(peer.holder, unrenewedFor: ClusterTimes.lease)
    #expect(scene.round(members: []).contains(burial))
    #expect(!scene.round(members: []).contains(burial), "asked already")
    scene.membership.leaseLives(peer.holder, now: scene.now)
    #expect(scene.membership.peers == [peer])
    #expect(scene.round(members: []).contains(burial))
    // The answer is lost, and with it the right to judge for a while.
    scene.membership.storeFailed()
    #expect(scene.membership.buried(peer.holder, now: scene.now).isEmpty)
    #expect(!scene.round(members: []).contains(burial))
    #expect(scene.membership.peers == [peer])
  }

  @Test func aStrangerThatOwnsSomethingIsJudgedToo() throws {
    var scene = try Scene("a")
    let (peer, stranger) = (try member("b"), try member("c").holder)
    scene.round(members: [peer])
    #expect(scene.membership.silent([stranger], now: scene.now).isEmpty, "too early")
    for _ in 0..<10 { scene.round(members: [peer]) }
    let asked = scene.membership.silent([peer.holder, stranger, scene.holder], now: scene.now)
    #expect(asked == [.bury(stranger, unrenewedFor: ClusterTimes.lease)])
    #expect(scene.membership.buried(stranger, now: scene.now) == [.died(stranger)])
  }

  @Test func anOutageLongerThanALeaseEndsNobody() throws {
    var scene = try Scene("a")
    let peer = try member("b")
    for _ in 0..<10 { scene.round(members: [peer]) }
    for _ in 0..<20 {
      #expect(!scene.silence().contains(.stoodDown))
      scene.membership.heard(peer.holder.node, storeAnswers: false, now: scene.now)
    }
    // The store is there again: for the peer at once, for this node a while later.
    for _ in 0..<2 {
      scene.membership.heard(peer.holder.node, storeAnswers: true, now: scene.now)
      #expect(!scene.silence().contains(.stoodDown))
    }
    #expect(scene.membership.mayAct(now: scene.now))
    for members in [[], [], [peer]] + Array(repeating: [peer], count: 8) {
      let actions = scene.round(members: members)
      #expect(!actions.contains { if case .bury = $0 { true } else { false } } && !actions.contains(.stoodDown))
    }
    #expect(scene.membership.holder == scene.holder && scene.membership.peers == [peer])
  }

  @Test func aListFromBeforeDoesNotEndALife() throws {
    var scene = try Scene("a")
    scene.round(members: [try member("b", 2)])
    #expect(!scene.round(members: [try member("b", 1)]).contains(.died(try member("b", 2).holder)))
    #expect(scene.membership.peers == [try member("b", 2)])
  }

  @Test func silenceAloneProvesNothing() throws {
    var scene = try Scene("a")
    let peer = try member("b")
    scene.round(members: [peer])
    _ = scene.membership.lost(peer.holder.node)
    for _ in 0..<10 { #expect(!scene.round(members: [peer]).contains { if case .died = $0 { true } else { false } }) }
  }

  @Test func nobodyIsJudgedBeforeTheStoreHasAnsweredForALeaseTime() throws {
    var scene = try Scene("a")
    let peer = try member("b")
    for _ in 0..<10 { scene.round(members: [peer]) }
    scene.silence()
    let burial = Membership.Action.bury(peer.holder, unrenewedFor: ClusterTimes.lease)
    for _ in 0..<5 { #expect(!scene.round(members: []).contains(burial)) }
    #expect((scene.round(members: []) + scene.round(members: [])).contains(burial))
  }

  @Test func anotherLifeIsTheEndOfTheOneBefore() throws {
    var scene = try Scene("a")
    scene.round(members: [try member("b", 1)])
    let actions = scene.round(members: [try member("b", 2)])
    #expect(actions.contains(.died(try member("b", 1).holder)))
    #expect(actions.contains(.lives([scene.holder, try member("b", 2).holder])))
  }

  @Test func takenForDeadItStandsDownAndJoinsAnew() throws {
    var scene = try Scene("a")
    #expect(scene.membership.leaseLost(scene.holder, now: scene.now) == [.stoodDown])
    scene.now = scene.now + .milliseconds(500)
    #expect(scene.membership.deadlineReached(now: scene.now).contains(.join(after: scene.holder.incarnation)))
  }
}
