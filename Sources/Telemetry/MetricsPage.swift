import Primitives

/// Writes Prometheus' text format 0.0.4.
struct MetricsPage {
  enum Kind: String { case counter, gauge, histogram }

  typealias Labels = [(name: StaticString, value: String)]

  private(set) var bytes = Bytes()
  private var name: StaticString = ""

  mutating func begin(_ name: StaticString, help: StaticString, type: Kind) {
    self.name = name
    bytes.append("# HELP ")
    bytes.append(name)
    bytes.append(" ")
    bytes.append(text: Self.escaped(help.description, quote: false))
    bytes.append("\n# TYPE ")
    bytes.append(name)
    bytes.append(" ")
    bytes.append(text: type.rawValue)
    bytes.append("\n")
  }

  mutating func sample(labels: Labels = [], value: Int) {
    sample("", labels, String(value))
  }

  /// A time in seconds.
  mutating func sample(labels: Labels = [], seconds: Duration) {
    sample("", labels, seconds.secondsText)
  }

  /// The format wants each bucket to hold those below it too.
  mutating func histogram(_ histogram: Histogram, labels: Labels = []) {
    let reading = histogram.reading
    var total = 0
    for (index, count) in reading.counts.enumerated() {
      total += count
      let bound = index < histogram.bounds.count ? histogram.bounds[index].secondsText : "+Inf"
      sample("_bucket", labels + [("le", bound)], String(total))
    }
    sample("_sum", labels, reading.sum.secondsText)
    sample("_count", labels, String(total))
  }

  private mutating func sample(_ suffix: StaticString, _ labels: Labels, _ value: String) {
    bytes.append(name)
    bytes.append(suffix)
    if !labels.isEmpty {
      let pairs = labels.map { "\($0.name)=\"\(Self.escaped($0.value, quote: true))\"" }
      bytes.append(text: "{" + pairs.joined(separator: ",") + "}")
    }
    bytes.append(" ")
    bytes.append(text: value)
    bytes.append("\n")
  }

  /// HELP texts escape backslash and line feed, label values the quote too.
  private static func escaped(_ text: String, quote: Bool) -> String {
    var out = ""
    for character in text.unicodeScalars {
      switch character {
      case "\\": out += "\\\\"
      case "\n": out += "\\n"
      case "\"" where quote: out += "\\\""
      default: out.unicodeScalars.append(character)
      }
    }
    return out
  }
}

extension Duration {
  /// Seconds as a decimal fraction without trailing zeros: `0.005`, `10`.
  var secondsText: String {
    let total = nanoseconds.magnitude
    let fraction = total % 1_000_000_000
    var text = (nanoseconds < 0 ? "-" : "") + String(total / 1_000_000_000)
    guard fraction != 0 else { return text }
    var digits = String(fraction)
    digits = String(repeating: "0", count: 9 - digits.utf8.count) + digits
    while digits.last == "0" { digits.removeLast() }
    text += "." + digits
    return text
  }
}
