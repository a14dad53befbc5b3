import Foundation
import Primitives
import Telemetry
import Testing

private enum Outcome: String, MetricLabel {
  static let labelName: StaticString = "outcome"
  case answered, declined
}

/// Prometheus' own opinion of the page.
@Test func promtoolFindsNothingToSay() throws {
  let metrics = Metrics()
  metrics.info("ringhold_build_info", "The program.", [("version", "1")])
  metrics.counter("ringhold_calls_total", "Calls by outcome.", by: Outcome.self)[.answered].increment()
  metrics.gauge("ringhold_held_calls", "Held calls.").set(1)
  metrics.histogram("ringhold_answer_duration_seconds", "Answers.", by: Outcome.self)[.declined].observe(.milliseconds(7))
  metrics.process(ProcessUse.ofThisProcess)

  let promtool = Process()
  let (input, output) = (Pipe(), Pipe())
  promtool.executableURL = URL(fileURLWithPath: "/usr/bin/promtool")
  promtool.arguments = ["check", "metrics"]
  promtool.standardInput = input
  promtool.standardOutput = output
  promtool.standardError = output
  try promtool.run()
  try input.fileHandleForWriting.write(contentsOf: metrics.page())
  try input.fileHandleForWriting.close()
  let said = output.fileHandleForReading.readDataToEndOfFile()
  promtool.waitUntilExit()
  #expect(Array(said).text == "")
  #expect(promtool.terminationStatus == 0)
}
