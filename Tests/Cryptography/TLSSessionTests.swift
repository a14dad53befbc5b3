import Cryptography
import Primitives
import Testing

@Suite struct TLSSessionTests {
  private let hello = Array("hello".utf8)

  @Test(arguments: [1, 7, Int.max])
  func handshakeInPieces(size: Int) throws {
    var pair = try TLSPair(offers: ["h2", "http/1.1"], speaks: ["h2"])
    try pair.client.send(hello)
    try pair.run(piece: size)
    #expect(pair.serverEvents == [.handshakeDone(alpn: "h2"), .plaintext(hello)])
    #expect(pair.clientEvents == [.handshakeDone(alpn: "h2")])
    try pair.server.send(hello)
    pair.server.close()
    try pair.run(piece: size)
    #expect(pair.clientEvents.plaintext == hello)
    #expect(pair.clientEvents.last == .closed)
    try pair.client.transportEnded()
  }

  @Test func serverChoosesProtocol() throws {
    var pair = try TLSPair(offers: ["http/1.1", "h2"], speaks: ["h2", "http/1.1"])
    try pair.run()
    #expect(pair.client.alpn == "h2")
  }

  @Test func noProtocolOffered() throws {
    var pair = try TLSPair(offers: [], speaks: ["h2"])
    try pair.run()
    #expect(pair.clientEvents == [.handshakeDone(alpn: nil)])
  }

  @Test func noCommonProtocol() throws {
    var pair = try TLSPair(offers: ["spdy/3"], speaks: ["h2"])
    #expect(throws: TLSError.noCommonProtocol) { try pair.run() }
    #expect(throws: TLSError.noCommonProtocol) { _ = try pair.client.receive(pair.server.pendingCiphertext()) }
  }

  @Test func oneMebibyte() throws {
    var pair = try TLSPair()
    let data = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    try pair.run()
    try pair.client.send(data)
    try pair.run(piece: 1460)
    #expect(pair.serverEvents.plaintext == data)
  }

  @Test func limits() throws {
    var pair = try TLSPair()
    let half = Bytes(repeating: 1, count: 1 << 20)
    try pair.client.send(half)
    #expect(throws: TLSError.bufferFull) { try pair.client.send(half + half) }
    try pair.run()
    try pair.client.send(half)
    #expect(throws: TLSError.bufferFull) { try pair.client.send(half) }
    try pair.run()
    #expect(pair.serverEvents.plaintext.count == half.count * 2)
  }

  @Test func truncation() throws {
    var pair = try TLSPair()
    try pair.run()
    try pair.server.send(hello)
    _ = try pair.client.receive(pair.server.pendingCiphertext().dropLast(1))
    #expect(throws: TLSError.truncated) { try pair.client.transportEnded() }
    #expect(throws: TLSError.truncated) { try pair.client.receive(Bytes()) }
  }

  @Test func closing() throws {
    var pair = try TLSPair()
    try pair.run()
    pair.client.close()
    pair.client.close()
    #expect(throws: TLSError.closed) { try pair.client.send(hello) }
    try pair.run()
    #expect(pair.serverEvents.last == .closed)
    try pair.server.send(hello)
    try pair.run()
    #expect(pair.clientEvents.plaintext == hello)
  }

  @Test func closingDuringHandshake() throws {
    var pair = try TLSPair()
    try pair.client.send(hello)
    pair.client.close()
    try pair.run()
    #expect(pair.serverEvents == [.handshakeDone(alpn: nil), .plaintext(hello), .closed])
  }

  @Test func plaintextBeforeBrokenRecordCounts() throws {
    var pair = try TLSPair()
    try pair.run()
    try pair.server.send(hello)
    let broken: Bytes = [23, 3, 3, 0, 20] + Bytes(repeating: 7, count: 20)
    #expect(try pair.client.receive(pair.server.pendingCiphertext() + broken) == [.plaintext(hello)])
    #expect(throws: TLSError.self) { try pair.client.receive(Bytes()) }
    #expect(pair.client.pendingCount > 0, "the alert")
  }

  @Test func noTLSAtAll() throws {
    let pair = try TLSPair()
    #expect(throws: TLSError.notTLS) { try pair.server.receive("GET / HTTP/1.1\r\n\r\n".utf8) }
    #expect(throws: TLSError.notTLS) { try pair.client.receive("SIP/2.0 400 Bad Request\r\n\r\n".utf8) }
  }
}
