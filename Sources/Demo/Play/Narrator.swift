import Network
import Primitives

/// Tells the play as it happens: one line a step, with the milliseconds since the start. A step is told once it held.
@LoopActor
final class Narrator {
  /// A step did not hold, and that has been told.
  struct Stopped: Error {}

  /// The steps that held, in order.
  private(set) var steps: [String] = []
  /// The step that did not hold, and why.
  private(set) var failure: String?

  private let print: @LoopActor (String) -> Void
  private let hasColour: Bool
  private let began = Loop.now()

  init(hasColour: Bool, print: @escaping @LoopActor (String) -> Void) {
    self.hasColour = hasColour
    self.print = print
  }

  var elapsed: Duration { Loop.now() - began }

  func say(_ text: String = "") { print(text) }

  func title(_ text: String) {
    print("")
    print(coloured(text, "1"))
  }

  /// Tells what somebody begins, or what explains the rest. Nothing is checked.
  func tell(_ from: Party, _ to: Party? = nil, _ text: String) { print(line("·", "2", from, to) + text) }

  /// Does one step, and tells it.
  /// - Parameters:
  ///   - name: what happens, in a few words.
  ///   - body: may add to the line what came of it.
  /// - Throws: `Stopped` where it did not hold.
  @discardableResult
  func step<Value: Sendable>(
    _ from: Party, _ to: Party? = nil, _ name: String, _ body: (_ line: inout String) async throws -> Value
  ) async throws(Stopped) -> Value {
    do {
      var text = name
      let value = try await body(&text)
      steps.append(name)
      print(line("✓", "32", from, to) + text)
      return value
    } catch is Stopped {
      throw Stopped()
    } catch {
      failed(line("✗", "31", from, to), name, error)
      throw Stopped()
    }
  }

  private func failed(_ line: String, _ name: String, _ error: any Error) {
    let (expected, came) = (error as? Unexpected).map { ($0.expected, $0.came) } ?? (name, "\(error)")
    failure = "\(name): expected \(expected), came \(came)"
    print(line + name)
    print("             expected  \(expected)")
    print("             came      \(came)")
  }

  private func line(_ mark: String, _ colour: String, _ from: Party, _ to: Party?) -> String {
    let time = coloured("\(elapsed.wholeMilliseconds)".leading(6) + " ms", "2")
    let who = from.rawValue.trailing(8) + (to.map { " → " + $0.rawValue.trailing(8) } ?? "           ")
    return "\(time)  \(coloured(mark, colour)) \(who)  "
  }

  private func coloured(_ text: String, _ code: String) -> String { hasColour ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text }
}

extension String {
  func leading(_ width: Int) -> String { String(repeating: " ", count: max(width - count, 0)) + self }
  func trailing(_ width: Int) -> String { self + String(repeating: " ", count: max(width - count, 0)) }
}
