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
    #expect(try store.perform(.writeAccount(.sample(1, devices: [.sample(1), .sample(2)]), expecting: nil), now: .zero) == .full)
    _ = try store.perform(.writeAccount(.sample(1), expecting: nil), now: .zero)
    #expect(try store.perform(.writeAccount(.sample(2), expecting: nil), now: .zero) == .full)
    #expect(store.perform(.saveCall(one, .sample(1), [1, 2, 3, 4, 5]), now: .zero) == .full)
    #expect(store.perform(.saveCall(one, .sample(1), [1]), now: .zero) == .done)
    #expect(store.perform(.saveCall(one, .sample(2), [1]), now: .zero) == .full)
    #expect(store.perform(.saveRegistration(one, [1, 2, 3, 4, 5]), now: .zero) == .full)
    #expect(store.perform(.remember(device, key: "a", reply: [1, 2, 3, 4, 5], until: .ms(1)), now: .zero) == .full)
    #expect(store.perform(.remember(device, key: "a", reply: [1], until: .ms(1)), now: .zero) == .done)
    #expect(store.perform(.remember(device, key: "b", reply: [1], until: .ms(1)), now: .zero) == .full)
  }
}
