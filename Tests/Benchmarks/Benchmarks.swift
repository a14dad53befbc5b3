import Foundation

/// Prints the project's figures: how long a call takes on its way, what it costs in processor time and memory, what the small steps
/// cost, and what a cluster does when a node is killed. Nothing here passes or fails.
///
/// The measured servers are the real `ringhold serve`, in processes of their own. Provider, caller, push service and phones are
/// stand-ins in this process; they share the machine with them, so figures of a busy machine are upper bounds.
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
    let sections = try Section.chosen(by: words)
    Report.machine()
    for section in sections { try await section.run(options) }
  }
}

enum Section: String, CaseIterable {
  case steps, memory, latency, processor
  // Of a cluster.
  case takeover, distance, traffic, footprint, beside

  private static let ofCluster: [Section] = [.takeover, .distance, .traffic, .footprint, .beside]

  /// All where no word chooses; `cluster` is for those of a cluster, or for the ones of them that are named beside it.
  static func chosen(by words: ArraySlice<String>) throws -> [Section] {
    let named = try words.filter { $0 != "cluster" }.map { word in
      guard let section = Section(rawValue: word) else { throw Trouble("sections are: cluster, \(names)") }
      return section
    }
    guard words.contains("cluster"), !named.contains(where: ofCluster.contains) else { return named.isEmpty ? allCases : named }
    return named + ofCluster
  }

  private static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }

  func run(_ options: Options) async throws {
    switch self {
    case .steps: Steps.run()
    case .memory: try await MemoryRun(options).run()
    case .latency: try await LatencyRun(options).run()
    case .processor: try await ProcessorRun(options).run()
    case .takeover: try await TakeoverRun(options).run()
    case .distance: try await DistanceRun(options).run()
    case .traffic: try await TrafficRun(options).run()
    case .footprint: try await FootprintRun(options).run()
    case .beside: try await BesideRun(options).run()
    }
  }
}

/// `--accounts N --providers N --rate CALLS/S --seconds N`, before the names of sections. Each section has its own where nil.
struct Options {
  var accounts: Int?
  /// That the accounts of a cluster are spread over.
  var providers: Int?
  /// Latencies are measured at 100.
  var rate: Int?
  var seconds = 8

  init(_ words: inout ArraySlice<String>) throws {
    while let name = words.first, name.hasPrefix("--") {
      guard let number = words.dropFirst().first.flatMap({ Int($0) }), number > 0 else { throw Trouble("\(name) needs a number") }
      switch name {
      case "--accounts": accounts = number
      case "--providers": providers = number
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
