import Network
import Primitives
import SIP
import TestKit
import Testing

@testable import Endpoints

@Suite struct SourceMeterTests {
  private let one = IPAddress.loopbackIPv4

  @Test func aSourceHasABurstAndThenItsRate() {
    var meter = SourceMeter(perSecond: 2, sources: 10)
    let burst = (0..<6).map { _ in meter.takes(from: one, now: .zero) }
    #expect(burst == [true, true, true, true, false, false])
    let second = (0..<3).map { _ in meter.takes(from: one, now: .ms(1000)) }
    #expect(second == [true, true, false])
  }

  @Test func sourcesDoNotCountForEachOther() throws {
    var meter = SourceMeter(perSecond: 1, sources: 10)
    let other = try #require(IPAddress("192.0.2.1"))
    let taken = [one, one, one, other].map { meter.takes(from: $0, now: .zero) }
    #expect(taken == [true, true, false, true])
  }

  @Test func anIPv6NetworkIsOneSource() throws {
    var meter = SourceMeter(perSecond: 1, sources: 10)
    let addresses = (1...3).compactMap { IPAddress("2001:db8::\($0)") }
    let taken = addresses.map { meter.takes(from: $0, now: .zero) }
    #expect(taken == [true, true, false])
  }

  @Test func moreSourcesThanTheLimitCostNoMemory() {
    var meter = SourceMeter(perSecond: 1, sources: 10)
    let all = (0..<100).compactMap { IPAddress("192.0.2.\($0)") }
    let taken = all.map { meter.takes(from: $0, now: .zero) }
    #expect(!taken.contains(false))
  }
}

@LoopActor
@Suite struct ProviderRateTests {
  /// Strangers may send nothing here.
  @Test func aProviderIsNotBoundByTheRateOfStrangers() async throws {
    let peers = try SIPPeers { $0.rates.messages = 0 }
    defer { peers.close() }
    peers.server.isProvider = { $0 == .loopbackIPv4 }
    peers.answer(200)
    let heard = peers.clientHears()
    peers.client.send(request(), to: peers.hop(.udp))
    guard case .response? = await heard.wait() else {
      Issue.record("no response")
      return
    }
    #expect(peers.server.counters.overRate == 0)
  }
}
