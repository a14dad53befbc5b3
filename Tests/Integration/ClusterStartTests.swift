import Demo
import Network
import Primitives
import TestKit
import Testing

/// What a node of a cluster does not begin with.
@Suite(.timeLimit(.minutes(2))) struct ClusterStartTests {
  @Test @LoopActor func aRedisThatWritesToADiskIsRefused() async throws {
    try await with(save: "60 1") { setting in
      let served = try await Program.run(Program.ringhold, ["serve", "--config", setting.file], environment: [:])
      #expect(served.status == 78 && served.output.contains("redis: it writes to a disk"), "\(served.output)")
      let checked = try await Program.run(Program.ringhold, ["check", "--config", setting.file], environment: [:])
      #expect(checked.status == 78 && checked.output.contains("error    redis: it writes to a disk"), "\(checked.output)")
    }
  }

  @Test @LoopActor func itIsReadyOnceItHasALease() async throws {
    try await with(save: "") { setting in
      let checked = try await Program.run(Program.ringhold, ["check", "--config", setting.file], environment: [:])
      #expect(checked.status == 0 && checked.output.contains("ok       redis: it lets this node in"), "\(checked.output)")
      let node = try Program(Program.ringhold, ["serve", "--config", setting.file], environment: [:])
      #expect(await node.prints("this node has a lease"))
      #expect(try await setting.page("/readyz").contains(" 200 "))
      await node.stop()
    }
  }

  @Test @LoopActor func withoutRedisItIsNotReadyAndSaysWhy() async throws {
    try await with(save: nil) { setting in
      let node = try Program(Program.ringhold, ["serve", "--config", setting.file], environment: [:])
      #expect(await node.prints("Redis cannot be used reason=unreachable"))
      #expect(try await setting.page("/readyz").contains(" 503 "))
      #expect(await node.stop() == 0)
    }
  }

  /// - Parameter save: nil where there is no Redis.
  @LoopActor private func with(save: String?, _ body: (Setting) async throws -> Void) async throws {
    let (push, secrets) = (try PushStandIn(), try TemporaryFolder())
    let redis: MemoryRedis? = if let save { try await MemoryRedis(save: save) } else { nil }
    let outcome = await result {
      let address = redis?.address ?? SocketAddress(ip: Loopback.address(), port: 6379)
      let membership = try await Setting.Membership.made(of: ["a"], in: secrets, redis: address).first
      try await body(Setting(push: push, membership: membership))
    }
    await redis?.stop()
    await push.stop()
    try outcome.get()
  }
}
