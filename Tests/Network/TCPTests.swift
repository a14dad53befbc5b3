import Primitives
import Testing
import TestKit

@testable import Network

@LoopActor
@Suite struct TCPTests {
  /// Gives back what it gets.
  private func echo(_ address: SocketAddress, limits: ListenerLimits = .init()) throws -> TCPListener {
    try TCPListener(bind: address, limits: limits) { stream in
      stream.onBytes = { [weak stream] in stream?.write(Array($0)) }
    }
  }

  @Test(arguments: [anyPort, anyPortIPv6])
  func bytesComeBackInOrder(_ address: SocketAddress) async throws {
    let listener = try echo(address)
    let stream = try await Connector.connect(to: listener.local)
    let content = Bytes((0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
    let got = Once<Bytes>()
    var received = Bytes()
    stream.onBytes = {
      received += $0
      if received.count == content.count { got.came(received) }
    }
    stream.write(content)
    #expect(await got.wait() == content)
    #expect(stream.remote == listener.local)
    let ended = Once<StreamEnd>()
    stream.onEnd = { ended.came($0) }
    stream.close()
    #expect(await ended.wait() == .closedHere)
    listener.close()
  }

  @Test func theOtherSideSeesTheEnd() async throws {
    let ended = Once<StreamEnd>()
    let listener = try TCPListener(bind: anyPort) { stream in
      stream.onBytes = { _ in }
      stream.onEnd = { ended.came($0) }
    }
    let stream = try await Connector.connect(to: listener.local)
    stream.close()
    #expect(await ended.wait() == .closedByPeer)
    #expect(listener.connections == 0)
    listener.close()
  }

  @Test func whatIsQueuedGoesOutBeforeTheEnd() async throws {
    let listener = try TCPListener(bind: anyPort) { stream in
      stream.write(Bytes(repeating: 1, count: 900_000))
      stream.close()
    }
    let done = Once<Int>()
    var count = 0
    let stream = try await Connector.connect(to: listener.local)
    stream.onBytes = { count += $0.count }
    stream.onEnd = { _ in done.came(count) }
    #expect(await done.wait() == 900_000)
    listener.close()
  }

  @Test func whoFinishedCanStillRead() async throws {
    let listener = try TCPListener(bind: anyPort) { stream in
      stream.onBytes = { _ in }
      stream.onPeerFinished = { [weak stream] in
        stream?.write(Bytes(repeating: 1, count: 900_000))
        stream?.close()
      }
    }
    let stream = try await Connector.connect(to: listener.local)
    let got = Once<Int>()
    var count = 0
    stream.onBytes = { count += $0.count }
    stream.onEnd = { _ in got.came(count) }
    finishSending(on: try #require(stream as? TCPConnection))
    #expect(await got.wait() == 900_000)
    listener.close()
  }

  @Test func whoFinishedIsNotWaitedForLong() async throws {
    var limits = ListenerLimits()
    limits.stream.halfOpen = .milliseconds(30)
    let ended = Once<StreamEnd>()
    let listener = try TCPListener(bind: anyPort, limits: limits) { stream in
      stream.onBytes = { _ in }
      stream.onPeerFinished = {}
      stream.onEnd = { ended.came($0) }
    }
    let stream = try await Connector.connect(to: listener.local)
    finishSending(on: try #require(stream as? TCPConnection))
    #expect(await ended.wait() == .closedByPeer)
    stream.abort()
    listener.close()
  }

  @Test func aPeerThatDoesNotReadIsGivenUp() async throws {
    var ends: [StreamEnd] = []
    let ended = Once<StreamEnd>()
    let listener = try TCPListener(bind: anyPort) { stream in
      stream.onEnd = {
        ends.append($0)
        ended.came($0)
      }
      for _ in 0..<200 { stream.write(Bytes(repeating: 0, count: 100_000)) }
      #expect(ends.isEmpty)
    }
    let stream = try await Connector.connect(to: listener.local)
    #expect(await ended.wait() == .queueFull)
    stream.abort()
    _ = await Once<Bool>().wait(.milliseconds(10))
    #expect(ends == [.queueFull])
    listener.close()
  }

  @Test func refusedIsSaid() async throws {
    let listener = try echo(anyPort)
    let address = listener.local
    listener.close()
    _ = await Once<Bool>().wait(.milliseconds(5))
    await #expect(throws: NetworkError.refused) { try await Connector.connect(to: address) }
  }

  @Test func aConnectionThatIsNotMadeInTimeIsGivenUp() async throws {
    // RFC 5737: an address that nobody has. Where the system knows no way to it, it says so at once.
    let nowhere = try #require(SocketAddress("192.0.2.1:9"))
    await #expect(throws: NetworkError.self) { try await Connector.connect(to: nowhere, timeout: .milliseconds(50)) }
  }

  @Test func silenceEndsAtTheIdleLimit() async throws {
    let ended = Once<StreamEnd>()
    let listener = try TCPListener(bind: anyPort) { stream in
      stream.idleLimit = .milliseconds(30)
      stream.onEnd = { ended.came($0) }
    }
    let stream = try await Connector.connect(to: listener.local)
    #expect(await ended.wait() == .idle)
    stream.abort()
    listener.close()
  }

  @Test func onePeerGetsNoMoreThanItsShare() async throws {
    var limits = ListenerLimits()
    limits.connectionsPerPeer = 2
    let listener = try echo(anyPort, limits: limits)
    var streams: [any ByteStream] = []
    for _ in 0..<2 { streams.append(try await Connector.connect(to: listener.local)) }
    let third = try await Connector.connect(to: listener.local)
    let ended = Once<StreamEnd>()
    third.onBytes = { _ in }
    third.onEnd = { ended.came($0) }
    #expect(await ended.wait() != nil)
    #expect(listener.connections == 2)
    #expect(listener.refused == 1)
    for stream in streams { stream.abort() }
    listener.close()
  }

  @Test func readingStopsWhileItIsToldTo() async throws {
    var held: (any ByteStream)?
    let got = Once<Int>()
    let listener = try TCPListener(bind: anyPort) { stream in
      held = stream
      stream.isReading = false
      stream.onBytes = { got.came($0.count) }
    }
    let stream = try await Connector.connect(to: listener.local)
    stream.write([1, 2, 3])
    #expect(await got.wait(.milliseconds(20)) == nil)
    held?.isReading = true
    #expect(await got.wait() == 3)
    stream.abort()
    listener.close()
  }

  @Test func theEndIsToldToWhoAsksLater() async throws {
    let listener = try TCPListener(bind: anyPort) { $0.abort() }
    let stream = try await Connector.connect(to: listener.local)
    stream.onBytes = { _ in }
    _ = await Once<Bool>().wait(.milliseconds(20))
    let ended = Once<StreamEnd>()
    stream.onEnd = { ended.came($0) }
    #expect(await ended.wait() != nil)
    listener.close()
  }
}
