import Cryptography
import Foundation
import Network
import Primitives
import TestKit

/// Somebody who sends whatever bytes he likes, over UDP, from an address of his own.
@LoopActor
final class RawDatagrams {
  private var socket: UDPSocket?
  private let server: SocketAddress
  private(set) var heard: [Bytes] = []
  private var asked = 0

  init(to server: SocketAddress) throws {
    self.server = server
    socket = try UDPSocket(bind: Loopback.anyPort()) { [weak self] datagram, _ in self?.heard.append(Array(datagram)) }
  }

  var local: SocketAddress { socket?.local ?? anyPort }

  func send(_ bytes: Bytes) { socket?.send(bytes, to: server) }

  /// Whether an OPTIONS is answered by 200: what came before did no harm.
  func isServed(within limit: Duration = .seconds(10)) async -> Bool {
    asked += 1
    let callID = "served-\(asked)"
    send(options(callID: callID, from: local, over: "UDP"))
    let answer = await eventually(within: limit, every: .milliseconds(2)) {
      heard.first { $0.text.hasPrefix("SIP/2.0 200 ") && $0.text.contains(callID) }
    } until: {
      $0 != nil
    }
    return answer != nil
  }

  func forget() { heard = [] }

  func close() { socket?.close() }
}

/// The same over TCP or TLS, on one connection.
@LoopActor
final class RawStream {
  private let stream: any ByteStream
  private(set) var heard = Bytes()
  private let ended = Once<StreamEnd>()

  init(to server: SocketAddress, tls alpn: [String]? = nil) async throws {
    let tls = try alpn.map {
      (try TLSContext.client(trust: .pem(try Site.authority.get().certificatePEM), alpn: $0), ServerIdentity(host: "localhost"))
    }
    stream = try await Connector.connect(to: server, tls: tls, from: Loopback.address(), timeout: .seconds(15))
    stream.onEnd = { [ended] in ended.came($0) }
    stream.onBytes = { [weak self] in self?.heard += $0 }
  }

  func send(_ bytes: Bytes) { stream.write(bytes) }
  func send(_ text: String) { send(Array(text.utf8)) }

  /// How long it took until the server ended it; nil where it did not.
  func end(within limit: Duration = .seconds(10)) async -> Duration? {
    let began = Loop.now()
    return await ended.wait(limit) == nil ? nil : Loop.now() - began
  }

  /// Sends a byte every `pause` until it is ended, or the bytes are over.
  func trickle(_ text: String, every pause: Duration) {
    var rest = Array(text.utf8)[...]
    func next() {
      guard let byte = rest.popFirst() else { return }
      stream.write([byte])
      _ = Loop.after(pause, next)
    }
    next()
  }

  /// Waits until `text` has come.
  func hears(_ text: String, within limit: Duration = .seconds(10)) async -> Bool {
    await eventually(within: limit, every: .milliseconds(5), { heard.text.contains(text) }, until: { $0 })
  }

  /// Whether an OPTIONS is answered by 200.
  func isServed() async -> Bool {
    send(options(callID: "served", from: stream.local, over: stream.alpn == nil ? "TCP" : "TLS"))
    return await hears("SIP/2.0 200 ")
  }

  func close() { stream.abort() }
}

/// A request that every SIP server answers.
func options(callID: String, from source: SocketAddress, over transport: String) -> Bytes {
  Array(
    """
    OPTIONS sip:localhost SIP/2.0\r
    Via: SIP/2.0/\(transport) \(source.text);branch=z9hG4bK-\(callID)\r
    From: <sip:tester@localhost>;tag=t\r
    To: <sip:localhost>\r
    Call-ID: \(callID)\r
    CSeq: 1 OPTIONS\r
    Max-Forwards: 70\r
    Content-Length: 0\r
    \r

    """.utf8)
}

/// The messages that RFC 4475 and RFC 5118 torture parsers with.
enum Torture {
  static let messages: [(name: String, bytes: Bytes)] = {
    let data = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../SIP/Data")
    return ["rfc4475", "rfc5118"].flatMap { folder in
      let folder = data.appending(path: folder)
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
      return names.filter { $0.hasSuffix(".dat") }.sorted().map { name in
        (name, Bytes(FileManager.default.contents(atPath: folder.appending(path: name).path) ?? Data()))
      }
    }
  }()
}
