import Primitives
import Testing
import TestKit

@testable import Network

@LoopActor
@Suite struct UDPTests {
  @Test(arguments: [anyPort, anyPortIPv6])
  func datagramsComeBack(_ address: SocketAddress) async throws {
    let got = Once<Bytes>()
    var echo: UDPSocket?
    let server = try UDPSocket(bind: address) { datagram, from in echo?.send(Array(datagram), to: from) }
    echo = server
    let client = try UDPSocket(bind: address) { datagram, _ in got.came(Array(datagram)) }
    client.send(Array("hello".utf8), to: server.local)
    #expect(await got.wait()?.text == "hello")
    client.close()
    server.close()
    echo = nil
  }

  @Test func aBurstArrivesWhole() async throws {
    let done = Once<Int>()
    var sum = 0
    var count = 0
    let server = try UDPSocket(bind: anyPort) { datagram, _ in
      sum += datagram.decimal() ?? 0
      count += 1
      if count == 500 { done.came(sum) }
    }
    let client = try UDPSocket(bind: anyPort) { _, _ in }
    for number in 0..<500 { client.send(Array(String(number).utf8), to: server.local) }
    #expect(await done.wait() == (0..<500).reduce(0, +))
    #expect(client.lost == 0)
    client.close()
    server.close()
  }

  @Test(arguments: [anyPort, anyPortIPv6])
  func aPortThatNobodyHoldsIsAnError(_ address: SocketAddress) async throws {
    let unreachable = Once<SocketAddress>()
    let got = Once<Bytes>()
    let gone = try UDPSocket(bind: address) { _, _ in }
    let target = gone.local
    let server = try UDPSocket(bind: address) { datagram, _ in got.came(Array(datagram)) }
    let client = try UDPSocket(bind: address) { _, _ in }
    client.onError = { unreachable.came($0) }
    gone.close()
    // A turn of the loop, so that the socket is closed.
    _ = await Once<Bool>().wait(.milliseconds(5))
    client.send([1], to: target)
    // The error about the first datagram must not swallow the second.
    client.send([2], to: server.local)
    #expect(await unreachable.wait() == target)
    #expect(await got.wait() == [2])
    client.close()
    server.close()
  }

  @Test func twoCannotHaveOnePort() throws {
    let first = try UDPSocket(bind: anyPort) { _, _ in }
    #expect(throws: NetworkError.addressInUse) { try UDPSocket(bind: first.local) { _, _ in } }
    first.close()
  }

  @Test func aDatagramThatIsTooLargeIsReported() async throws {
    let failed = Once<SocketAddress>()
    let socket = try UDPSocket(bind: anyPort) { _, _ in }
    socket.onError = { failed.came($0) }
    socket.send(Bytes(repeating: 0, count: 70_000), to: socket.local)
    #expect(await failed.wait() == socket.local)
    socket.close()
  }
}
