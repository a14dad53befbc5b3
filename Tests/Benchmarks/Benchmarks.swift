import Foundation

/// Prints the project's figures: how long a call takes on its way, what it costs in processor time and memory, and what the small
/// steps cost. Nothing here passes or fails.
///
/// The measured server is the real `ringhold serve`, in a process of its own. Its provider, caller, push service and phones are
/// stand-ins in this process; they share the machine with it, so figures of a busy machine are upper bounds.
@main struct Benchmarks {
  static func main() async {
    do {
      try await run(CommandLine.arguments.dropFirst())
    } catch {
      Report.say("benchmarks: \(error)")
      exit(1)
    }
  }

  private static func run(_ words: ArraySlice<String>) async throws {
    if words.first == UntoldServer.command, let file = words.last { return try await UntoldServer.run(file) }
    var words = words
    let options = try Options(&words)
    let sections = try words.map { word in
      guard let section = Section(rawValue: word) else { throw Trouble("sections are: \(Section.names)") }
      return section
    }
    Report.machine()
    for section in sections.isEmpty ? Section.allCases : sections { try await section.run(options) }
  }

  enum Section: String, CaseIterable {
    case steps, memory, latency, processor

    static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }

    func run(_ options: Options) async throws {
      switch self {
      case .steps: Steps.run()
      case .memory: try await MemoryRun(options).run()
      case .latency: try await LatencyRun(options).run()
      case .processor: try await ProcessorRun(options).run()
      }
    }
  }
}

/// `--accounts N --rate CALLS/S --seconds N`, before the names of sections.
struct Options {
  var accounts = 10_000
  /// Of the processor's section; latencies are measured at 100.
  var rate = 500
  var seconds = 8

  init(_ words: inout ArraySlice<String>) throws {
    while let name = words.first, name.hasPrefix("--") {
      guard let number = words.dropFirst().first.flatMap({ Int($0) }), number > 0 else { throw Trouble("\(name) needs a number") }
      switch name {
      case "--accounts": accounts = number
      case "--rate": rate = number
      case "--seconds": seconds = number
      default: throw Trouble("there is no option \(name)")
      }
      words = words.dropFirst(2)
    }
  }
}

/// Why a figure cannot be had.
struct Trouble: Error, CustomStringConvertible {
  let description: String
  init(_ text: String) { description = text }
}
