import Foundation

/// How figures are printed.
enum Report {
  static func machine() {
    let cpu = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
    let model = cpu.split(separator: "\n").first { $0.hasPrefix("model name") }?.split(separator: ":").last
    let load = (try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8))?.split(separator: " ").first.map(String.init)
    say(
      "machine: \(ProcessInfo.processInfo.activeProcessorCount) × \(model?.trimmingCharacters(in: .whitespaces) ?? "unknown"), load \(load ?? "unknown")"
    )
  }

  static func heading(_ text: String) { say("\n\(text)") }

  /// The same with the words that repeat this part alone.
  static func heading(_ text: String, again words: String) {
    heading(text)
    say("  again: ops/bench \(words)")
  }

  static func line(_ name: String, _ figure: String) {
    say("  " + name.padding(toLength: max(58, name.count), withPad: " ", startingAt: 0) + " " + figure)
  }

  /// At once, also into a pipe.
  static func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

  static func times(_ name: String, _ sample: Sample) { line(name, sample.text) }

  /// Of what happens once to each.
  static func spread(_ name: String, _ sample: Sample) { line(name, sample.spread) }

  static func short(_ duration: Duration) -> String {
    duration < .milliseconds(10) ? "\(Int(duration.microseconds.rounded())) µs" : "\(Int(duration.milliseconds.rounded())) ms"
  }

  static func decimal(_ number: Double, _ places: Int = 1) -> String { String(format: "%.\(places)f", number) }
}

/// Durations of one kind.
struct Sample {
  private var values: [Duration] = []

  mutating func add(_ duration: Duration) { values.append(duration) }

  var count: Int { values.count }

  /// The value that `share` of all are not above.
  func quantile(_ share: Double) -> Duration {
    let sorted = values.sorted()
    guard !sorted.isEmpty else { return .zero }
    return sorted[min(Int(Double(sorted.count) * share), sorted.count - 1)]
  }

  var text: String {
    let (median, tail) = (quantile(0.5).milliseconds, quantile(0.99).milliseconds)
    return "median \(Report.decimal(median, 2)) ms, p99 \(Report.decimal(tail, 2)) ms (\(count) calls)"
  }

  var spread: String {
    let figures = [quantile(0), quantile(0.5), quantile(0.95), quantile(1)].map { Report.decimal($0.seconds, 2) + " s" }
    return "first \(figures[0]), median \(figures[1]), 95 % \(figures[2]), worst \(figures[3]) (\(count))"
  }

  /// Of medians and of p99.
  func ratio(to other: Sample) -> String {
    let shares = [0.5, 0.99].map { Report.decimal(quantile($0) / max(other.quantile($0), .microseconds(1)), 2) }
    return "median × \(shares[0]), p99 × \(shares[1])"
  }
}

extension Duration {
  var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
  var milliseconds: Double { seconds * 1e3 }
  var microseconds: Double { seconds * 1e6 }
}
