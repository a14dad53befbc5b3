import Network
public import PhoneContract
import Primitives

/// One whole story of the product on one machine: server, provider, caller, push service and phone in this process.
public enum Demo {
  public struct Outcome: Sendable {
    /// The steps that held, in order.
    public let steps: [String]
    /// The step that did not, and why.
    public let failure: String?
    public let duration: Duration

    public var hasHeld: Bool { failure == nil }
  }

  /// Plays it, and tells each step as it happens.
  /// - Parameters:
  ///   - transport: how the server talks to the provider; not `auto`: nobody but the demo knows the ports.
  ///   - hasColour: for a terminal.
  ///   - print: takes one line.
  @LoopActor
  public static func run(
    over transport: TransportChoice = .udp, hasColour: Bool = false, print: @escaping @LoopActor (String) -> Void
  ) async -> Outcome {
    let narrator = Narrator(hasColour: hasColour, print: print)
    do {
      let stage = try await Stage(transport)
      // A step that did not hold has been told by the narrator.
      try? await Play(stage: stage, narrator: narrator).run()
      await stage.close()
    } catch {
      narrator.say("cannot start: \(error)")
      return Outcome(steps: [], failure: "start: \(error)", duration: narrator.elapsed)
    }
    let outcome = Outcome(steps: narrator.steps, failure: narrator.failure, duration: narrator.elapsed)
    narrator.say()
    narrator.say(outcome.summary)
    return outcome
  }
}

extension Demo.Outcome {
  fileprivate var summary: String {
    guard hasHeld else { return "A step did not hold." }
    return "All \(steps.count) steps held, in \(duration.wholeMilliseconds) ms. Nothing was written to a disk, nothing left this machine."
  }
}
