import Node

extension StatusReport {
  static let single = StatusReport(
    node: "a", version: "1", uptime: 3700, isReady: true, accounts: 3, held: 1, answered: 2,
    registrations: [
      .init(state: "registered", accounts: 2), .init(state: "rejected", accounts: 0), .init(state: "unreachable", accounts: 1),
    ],
    interval: 2,
    rates: [
      .init(name: "calls held", counts: [0, 0, 0, 0, 0, 4, 4, 4, 4, 4]), .init(name: "pushes", counts: [0, 0, 0, 0, 0, 0, 0, 0, 0, 1]),
    ],
    cluster: nil)

  /// Of a node that sees one peer and not the other.
  static var ofThree: StatusReport {
    var report = single
    report.cluster = ClusterStatus(
      isPassive: false, isSettling: false,
      members: [
        .init(name: "a", incarnation: 3, leaseMS: 2800, isReachable: true, accounts: 40),
        .init(name: "b", incarnation: 1, leaseMS: 2500, isReachable: true, accounts: 41),
        .init(name: "c", incarnation: 12, leaseMS: 900, isReachable: false, accounts: 39),
      ], unowned: 2, takeovers: .init(nodes: 1, accounts: 20, calls: 5), redis: .init(primary: "10.0.0.21:6379", isConnected: true))
    return report
  }
}
