public import Primitives
import Synchronization

/// The instruments of one node, and the page that shows them in Prometheus' text format 0.0.4.
///
/// Names follow Prometheus' conventions: `ringhold_` first, `_total` last for counters, base units (`_seconds`, `_bytes`).
/// Every instrument is made once, at start; a name that is taken is a mistake in the program.
public final class Metrics: Sendable {
  /// The `Content-Type` of `page()`.
  public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  private let families = Mutex<[Family]>([])

  public init() {}

  public func counter(_ name: StaticString, _ help: StaticString) -> Counter {
    let counter = Counter()
    add(name, help, .counter) { $0.sample(value: counter.value) }
    return counter
  }

  public func counter<Label: MetricLabel>(_ name: StaticString, _ help: StaticString, by label: Label.Type) -> Labelled<Label, Counter> {
    let counters = Labelled<Label, Counter> { Counter() }
    add(name, help, .counter) { page in
      for (label, counter) in counters.all { page.sample(labels: [label.pair], value: counter.value) }
    }
    return counters
  }

  public func gauge(_ name: StaticString, _ help: StaticString) -> Gauge {
    let gauge = Gauge()
    add(name, help, .gauge) { $0.sample(value: gauge.value) }
    return gauge
  }

  public func gauge<Label: MetricLabel>(_ name: StaticString, _ help: StaticString, by label: Label.Type) -> Labelled<Label, Gauge> {
    let gauges = Labelled<Label, Gauge> { Gauge() }
    add(name, help, .gauge) { page in
      for (label, gauge) in gauges.all { page.sample(labels: [label.pair], value: gauge.value) }
    }
    return gauges
  }

  /// A number that is read when the page is asked for.
  public func gauge(_ name: StaticString, _ help: StaticString, read: @escaping @Sendable () -> Int) {
    add(name, help, .gauge) { $0.sample(value: read()) }
  }

  /// A one with words of the program as labels, such as its version.
  public func info(_ name: StaticString, _ help: StaticString, _ words: [(name: StaticString, value: StaticString)]) {
    let labels = words.map { (name: $0.name, value: $0.value.description) }
    add(name, help, .gauge) { $0.sample(labels: labels, value: 1) }
  }

  public func histogram(_ name: StaticString, _ help: StaticString, bounds: [Duration] = Histogram.defaultBounds) -> Histogram {
    let histogram = Histogram(bounds: bounds)
    add(name, help, .histogram) { $0.histogram(histogram) }
    return histogram
  }

  public func histogram<Label: MetricLabel>(
    _ name: StaticString, _ help: StaticString, by label: Label.Type, bounds: [Duration] = Histogram.defaultBounds
  ) -> Labelled<Label, Histogram> {
    let histograms = Labelled<Label, Histogram> { Histogram(bounds: bounds) }
    add(name, help, .histogram) { page in
      for (label, histogram) in histograms.all { page.histogram(histogram, labels: [label.pair]) }
    }
    return histograms
  }

  /// All instruments in the order in which they were made.
  public func page() -> Bytes {
    var page = MetricsPage()
    for family in families.withLock({ $0 }) {
      page.begin(family.name, help: family.help, type: family.type)
      family.write(&page)
    }
    return page.bytes
  }

  func add(
    _ name: StaticString, _ help: StaticString, _ type: MetricsPage.Kind, write: @escaping @Sendable (inout MetricsPage) -> Void
  ) {
    families.withLock { families in
      precondition(!families.contains { $0.name.description == name.description }, "two metrics of one name")
      families.append(Family(name: name, help: help, type: type, write: write))
    }
  }

  private struct Family {
    let name: StaticString
    let help: StaticString
    let type: MetricsPage.Kind
    let write: @Sendable (inout MetricsPage) -> Void
  }
}

extension MetricLabel {
  fileprivate var pair: (name: StaticString, value: String) { (Self.labelName, rawValue) }
}
