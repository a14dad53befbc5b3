public import Network
public import Primitives

/// A real redis-server that keeps everything in memory, on an address of its own; unless it is told to save.
@LoopActor
public final class MemoryRedis {
  public let address = SocketAddress(ip: Loopback.address(), port: 6379)
  private let program: Program

  public init(save: String = "") async throws {
    program = try Program(
      "/usr/bin/redis-server", ["--bind", address.ip.text, "--port", "\(address.port)", "--save", save, "--appendonly", "no"])
    guard await program.prints("Ready to accept connections", within: .seconds(20)) else { throw ProgramFailure(program: program) }
  }

  public func stop() async { await program.stop() }
}
