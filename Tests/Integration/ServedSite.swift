import Demo
import Network
import Primitives
import TestKit

/// `ringhold serve` as people run it: the real executable with a file, between the same provider and push service.
@LoopActor
struct ServedSite {
  let provider: Provider
  let push: PushStandIn
  let setting: Setting
  let program: Program

  /// Plays a test at a site, which is gone when it ends.
  static func with(log: (level: String, format: String) = ("debug", "text"), _ test: @LoopActor (ServedSite) async throws -> Void)
    async throws
  {
    try await Site.crowd.with {
      let site = try await ServedSite(log: log)
      let outcome = await result { try await test(site) }
      _ = await site.stop()
      try outcome.get()
    }
  }

  private init(log: (level: String, format: String)) async throws {
    provider = try await Site.sharedProvider.value
    push = try PushStandIn()
    setting = try Setting(push: push, log: log)
    program = try Program(Program.ringhold, ["serve", "--config", setting.file], environment: [:])
    let (setting, program) = (setting, program)
    let isReady = await eventually(within: .seconds(20)) {
      guard program.isRunning, let page = try? await setting.page("/readyz") else { return false }
      return page.hasPrefix("HTTP/1.1 200 ")
    } until: {
      $0
    }
    guard isReady else { throw ProgramFailure(program: program) }
  }

  func phone(of user: String) throws -> Handset {
    try Handset(user: user, provider: provider.address.text, push: push, server: setting.https)
  }

  func call(_ user: String, _ scenario: Scenario) throws -> Caller { try Caller(scenario, to: user, at: provider.socketAddress) }

  /// SIGTERM; its exit status.
  func stop() async -> Int32? {
    let status = await program.stop()
    await push.stop()
    return status
  }
}
