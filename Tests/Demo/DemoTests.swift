import Network
import PhoneContract
import Testing

@testable import Demo

/// Node, provider, push service and phone, each the real one but for the two stand-ins, over real sockets.
@LoopActor
@Suite struct DemoTests {
  @Test(.timeLimit(.minutes(1)), arguments: [TransportChoice.udp, .tcp, .tls])
  func everyStepHolds(_ transport: TransportChoice) async {
    var lines: [String] = []
    let outcome = await Demo.run(over: transport) { lines.append($0) }
    #expect(outcome.failure == nil, "\(lines.joined(separator: "\n"))")
    #expect(outcome.hasHeld)
    #expect(outcome.steps.count == 36)
    #expect(lines.last?.hasPrefix("All 36 steps held") == true)
  }

  @Test func aStepThatDoesNotHoldIsToldAndEndsThePlay() async {
    var lines: [String] = []
    let narrator = Narrator(hasColour: false) { lines.append($0) }
    await #expect(throws: Narrator.Stopped.self) {
      try await narrator.step(.phone, .server, "asks") { _ in try expect(1, 2, "answers") }
    }
    #expect(narrator.steps.isEmpty)
    #expect(narrator.failure == "asks: expected answers: 2, came 1")
    #expect(lines.contains { $0.contains("✗ phone    → server    asks") })
    #expect(lines.last == "             came      1")
  }

  @Test(.timeLimit(.minutes(1))) func withoutAProviderThePlayEndsAtOnce() async throws {
    var lines: [String] = []
    let narrator = Narrator(hasColour: false) { lines.append($0) }
    let stage = try await Stage(.udp)
    stage.provider.close()
    await #expect(throws: Narrator.Stopped.self) { try await Play(stage: stage, narrator: narrator).run() }
    #expect(narrator.steps.isEmpty)
    #expect(narrator.failure?.hasPrefix("asks what the provider wants") == true)
    #expect(lines.last?.contains("came") == true)
    await stage.close()
  }
}
