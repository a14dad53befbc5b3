import Primitives
import Testing

@testable import Telemetry

private enum Outcome: String, MetricLabel {
  static let labelName: StaticString = "outcome"
  case answered
  case callerHungUp = "caller-hung-up"
}

private func page(_ fill: (Metrics) -> Void) -> String {
  let metrics = Metrics()
  fill(metrics)
  return metrics.page().text
}

@Test func aCounterShowsWhatWasCounted() {
  let text = page { $0.counter("ringhold_calls_total", "Calls.").increment(by: 3) }
  #expect(
    text == """
      # HELP ringhold_calls_total Calls.
      # TYPE ringhold_calls_total counter
      ringhold_calls_total 3

      """)
}

@Test func everyLabelValueIsThereFromTheStart() {
  let text = page { $0.counter("ringhold_calls_total", "Calls.", by: Outcome.self)[.callerHungUp].increment() }
  #expect(
    text.hasSuffix(
      """
      ringhold_calls_total{outcome="answered"} 0
      ringhold_calls_total{outcome="caller-hung-up"} 1

      """))
}

@Test func aGaugeGoesUpAndDown() {
  let text = page {
    let gauge = $0.gauge("ringhold_held_calls", "Held calls.")
    gauge.set(5)
    gauge.increment()
    gauge.decrement(by: 2)
    $0.gauge("ringhold_read", "Read.") { 7 }
  }
  #expect(text.contains("\nringhold_held_calls 4\n"))
  #expect(text.contains("\nringhold_read 7\n"))
}

@Test func aHistogramSumsItsBuckets() {
  let text = page {
    let histogram = $0.histogram("ringhold_answer_seconds", "Answers.", bounds: [.milliseconds(5), .seconds(1)])
    for duration in [Duration.milliseconds(5), .milliseconds(6), .seconds(2), .seconds(-1)] { histogram.observe(duration) }
  }
  #expect(
    text.hasSuffix(
      """
      ringhold_answer_seconds_bucket{le="0.005"} 2
      ringhold_answer_seconds_bucket{le="1"} 3
      ringhold_answer_seconds_bucket{le="+Inf"} 4
      ringhold_answer_seconds_sum 2.011
      ringhold_answer_seconds_count 4

      """))
}

@Test func textIsEscaped() {
  let text = page { $0.info("ringhold_build_info", "A \\ and\na line.", [("version", "1\"\n\\")]) }
  #expect(text.contains("# HELP ringhold_build_info A \\\\ and\\na line.\n"))
  #expect(text.contains(#"{version="1\"\n\\"} 1"#))
}

@Test func processUseIsReadFromTheKernelsText() throws {
  let stat = Array("7 (a) b) S 1 7 7 0 -1 4194560 900 0 0 0 150 50 0 0 20 0 3 0 1000 9000000 512 1844 1 1".utf8)
  let units = KernelUnits(pageBytes: 4096, ticksPerSecond: 100)
  let use = try #require(ProcessUse(stat: stat, machine: Array("cpu 1 2\nbtime 1764480000\nx 1\n".utf8), openFiles: 9, units: units))
  #expect(use == ProcessUse(residentBytes: 512 * 4096, cpu: .seconds(2), openFiles: 9, startedAt: .seconds(1_764_480_010)))
  #expect(ProcessUse(stat: Array("7 (a) S 1".utf8), machine: [], openFiles: 0, units: units) == nil)
}

@Test func thisProcessHasAUse() throws {
  let use = try #require(ProcessUse.ofThisProcess())
  #expect(use.residentBytes > 1 << 20 && use.openFiles >= 3 && use.startedAt > .seconds(1_700_000_000))
}
