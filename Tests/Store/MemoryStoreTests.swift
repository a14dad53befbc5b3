import Primitives
import Store
import Testing

@Suite struct MemoryStoreTests {
  @Test(arguments: StoreContract.allCases) func doesWhatEveryStoreMust(scenario: StoreContract) async throws {
    var store = MemoryStore()
    try await scenario.run { store.perform($0, now: $1) }
  }

  @Test func noncesHaveALimitForEachDeviceAndAtAll() throws {
    var limits = MemoryStore.Limits()
    (limits.nonces, limits.noncesPerDevice) = (3, 2)
    var store = MemoryStore(limits: limits)
    func use(_ device: UInt8, _ nonce: UInt8, at now: Int64) throws -> StoreReply {
      store.perform(.useNonce(try .sample(device), nonce: [nonce], until: .ms(now + 100)), now: .ms(now))
    }
    #expect(try [use(1, 1, at: 0), use(1, 2, at: 1), use(1, 3, at: 2)] == [.fresh, .fresh, .full])
    #expect(try [use(2, 1, at: 3), use(2, 2, at: 4), use(3, 1, at: 5)] == [.fresh, .full, .full])
    #expect(try [use(1, 3, at: 100), use(2, 2, at: 101), use(1, 2, at: 101)] == [.fresh, .fresh, .full])
  }

  @Test func manyNoncesComeAndGo() throws {
    var store = MemoryStore()
    let device = try DeviceID.sample(1)
    for number in 0..<5000 {
      let now = Instant.ms(Int64(number))
      let nonce = Array(String(number).utf8)
      #expect(store.perform(.useNonce(device, nonce: nonce, until: now + .milliseconds(500)), now: now) == .fresh)
      #expect(store.perform(.useNonce(device, nonce: nonce, until: now + .milliseconds(500)), now: now) == .replayed)
    }
  }

  @Test func everythingElseHasALimitToo() throws {
    var limits = MemoryStore.Limits()
    (limits.accounts, limits.devicesPerAccount, limits.callsPerAccount, limits.recordBytes, limits.repliesPerDevice) = (1, 1, 1, 4, 1)
    var store = MemoryStore(limits: limits)
    let (one, device) = (try AccountID.sample(1), try DeviceID.sample(1))
    #expect(try store.perform(.writeAccount(.sample(1, devices: [.sample(1), .sample(2)]), expecting: nil, by: nil), now: .zero) == .full)
    _ = try store.perform(.writeAccount(.sample(1), expecting: nil, by: nil), now: .zero)
    #expect(try store.perform(.writeAccount(.sample(2), expecting: nil, by: nil), now: .zero) == .full)
    #expect(store.perform(.saveCall(one, .sample(1), [1, 2, 3, 4, 5], home: .alone), now: .zero) == .full)
    #expect(store.perform(.saveCall(one, .sample(1), [1], home: .alone), now: .zero) == .done)
    #expect(store.perform(.saveCall(one, .sample(2), [1], home: .alone), now: .zero) == .full)
    #expect(store.perform(.saveRegistration(one, [1, 2, 3, 4, 5], by: .alone), now: .zero) == .full)
    #expect(store.perform(.remember(device, key: "a", reply: [1, 2, 3, 4, 5], until: .ms(1)), now: .zero) == .full)
    #expect(store.perform(.remember(device, key: "a", reply: [1], until: .ms(1)), now: .zero) == .done)
    #expect(store.perform(.remember(device, key: "b", reply: [1], until: .ms(1)), now: .zero) == .full)
  }

  @Test func aLeaseEndsToTheMillisecond() throws {
    var store = MemoryStore()
    let node = try #require(NodeID("a"))
    #expect(store.perform(.joinCluster(node, peerAddress: "x", after: 0), now: .zero) == .joined(try .sample("a", 1)))
    #expect(store.perform(.renewLease(try .sample("a", 1), peerAddress: nil), now: .ms(2999)) == .renewed)
    #expect(store.perform(.buryLease(try .sample("a", 1), unrenewedFor: Member.lease), now: .ms(5998)) == .leaseLives)
    #expect(store.perform(.buryLease(try .sample("a", 1), unrenewedFor: Member.lease), now: .ms(5999)) == .buried)
    #expect(store.perform(.renewLease(try .sample("a", 1), peerAddress: nil), now: .ms(5999)) == .leaseLost)
    #expect(store.perform(.joinCluster(node, peerAddress: "x", after: 0), now: .ms(6000)) == .joined(try .sample("a", 6)))
  }

  @Test func namesThatJoinHaveALimit() throws {
    var limits = MemoryStore.Limits()
    limits.nodes = 1
    var store = MemoryStore(limits: limits)
    #expect(store.perform(.joinCluster(try #require(NodeID("a")), peerAddress: "x", after: 0), now: .zero) == .joined(try .sample("a", 1)))
    #expect(store.perform(.joinCluster(try #require(NodeID("b")), peerAddress: "x", after: 0), now: .zero) == .full)
    #expect(store.perform(.joinCluster(try #require(NodeID("a")), peerAddress: "x", after: 0), now: .zero) == .joined(try .sample("a", 2)))
  }

  @Test func anEpochOfAnAccountThatComesAgainIsGreater() throws {
    var store = MemoryStore()
    let (id, holder) = (try AccountID.sample(1), try Holder.sample())
    var epochs: [Epoch] = []
    for second in [Int64(5), 9] {
      let written = store.perform(.writeAccount(try .sample(1), expecting: nil, by: nil), now: .zero)
      guard case .owned(let epoch, let snapshot) = store.perform(.claimOwner(id, holder, expecting: nil), now: .ms(second * 1000)) else {
        Issue.record("\(written)")
        return
      }
      epochs.append(epoch)
      let fence = Fence(holder: holder, epoch: epoch)
      #expect(store.perform(.removeAccount(id, expecting: snapshot.version, by: fence), now: .zero) == .done)
    }
    #expect(epochs == [Epoch(number: 5), Epoch(number: 9)])
  }
}
