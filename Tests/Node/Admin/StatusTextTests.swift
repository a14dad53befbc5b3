import Primitives
import Testing

@testable import Node

@Test func theStatusOfASingleNodeAsText() {
  #expect(
    StatusReport.single.text == """
      a  ready  up 1 h 1 min  ringhold 1
      accounts 3  ringing 1  answered 2
      registrations: registered 2, unreachable 1
      per second        now       in 20 s
        calls held      2.0       1.0
        pushes          0.1       0.1
      """)
}

@Test func theStatusOfANodeInAClusterAsText() {
  let lines = StatusReport.ofThree.text.split(separator: "\n").suffix(7).map(String.init)
  #expect(
    lines == [
      "cluster: active  Redis primary 10.0.0.21:6379", "  node            life    lease       accounts",
      "  a               3       2800 ms     40  this node", "  b               1       2500 ms     41",
      "  c               12      900 ms      39  cannot be reached", "  owned by nobody: 2", "taken over: 1 nodes, 20 accounts, 5 calls",
    ])
}

@Test func aNodeWithoutLeaseSaysSo() {
  var report = StatusReport.ofThree
  report.cluster?.isSettling = true
  #expect(report.text.contains("cluster: active, settling  Redis"))
  report.cluster?.isPassive = true
  report.cluster?.redis = .init(primary: nil, isConnected: false)
  #expect(report.text.contains("cluster: PASSIVE, no lease  Redis NOT CONNECTED, no primary known"))
}

@Test(arguments: [StatusReport.single, .ofThree]) func aReportIsReadAsItWasWritten(report: StatusReport) throws {
  #expect(StatusReport(json: try #require(report.json)) == report)
}

/// Others read it too: the names in it are a promise.
@Test func theNamesInAReport() throws {
  let text = try #require(StatusReport.ofThree.json).text
  let names = [
    "node", "version", "uptime_s", "ready", "accounts", "held_calls", "answered_calls", "registrations", "state", "interval_s", "rates",
    "name", "counts", "cluster", "passive", "settling", "members", "incarnation", "lease_ms", "reachable", "unowned", "takeovers", "nodes",
    "calls",
    "redis", "primary", "connected",
  ]
  for name in names { #expect(text.contains("\"\(name)\":"), "\(name)") }
}
