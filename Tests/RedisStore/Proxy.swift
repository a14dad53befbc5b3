import Network
import Primitives
import RedisStore

/// Stands between, and may swallow what Redis says, or hold back what is said to it.
@LoopActor
final class Proxy {
  var dropsAnswers = false
  var holdsCommands = false
  /// Redis ended a connection over which commands were held back.
  private(set) var hasLostOne = false
  private var listener: TCPListener?
  private var streams: [any ByteStream] = []
  private var held: [(server: any ByteStream, bytes: Bytes)] = []

  init(to target: RedisAddress) throws {
    listener = try TCPListener(bind: SocketAddress(ip: .loopbackIPv4, port: 0)) { [weak self] client in
      Task { try await self?.join(client, to: target.port) }
    }
  }

  var address: RedisAddress { RedisAddress(host: "127.0.0.1", port: listener?.local.port ?? 0) }

  private func join(_ client: any ByteStream, to port: UInt16) async throws {
    let server = try await Connector.connect(to: SocketAddress(ip: .loopbackIPv4, port: port))
    streams += [client, server]
    // What was held back may still go to Redis when nobody waits for its answer any more.
    client.onEnd = { [weak self] _ in if self?.isHeld(server) == false { server.abort() } }
    server.onEnd = { [weak self] _ in
      if self?.isHeld(server) == true { self?.hasLostOne = true }
      client.abort()
    }
    client.onBytes = { [weak self] in self?.pass(Array($0), to: server) }
    server.onBytes = { [weak self] bytes in if self?.dropsAnswers == false { client.write(Array(bytes)) } }
  }

  private func pass(_ bytes: Bytes, to server: any ByteStream) {
    if holdsCommands { held.append((server, bytes)) } else { server.write(bytes) }
  }

  private func isHeld(_ server: any ByteStream) -> Bool { held.contains { $0.server === server } }

  func passHeld() {
    for (server, bytes) in held { server.write(bytes) }
  }

  func end() {
    listener?.close()
    for stream in streams { stream.abort() }
    (streams, held) = ([], [])
  }
}
