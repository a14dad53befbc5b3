/// The report as a person reads it in a terminal.
extension StatusReport {
  public var text: String {
    var lines = ["\(node)  \(isReady ? "ready" : "not ready")  up \(Self.time(uptime))  ringhold \(version)"]
    lines.append("accounts \(accounts)  ringing \(held)  answered \(answered)")
    let inUse = registrations.filter { $0.accounts > 0 }.map { "\($0.state) \($0.accounts)" }
    if !inUse.isEmpty { lines.append("registrations: " + inUse.joined(separator: ", ")) }
    lines += rateLines
    if let cluster { lines += cluster.lines(self: node) }
    return lines.joined(separator: "\n")
  }

  /// Per second: over the last ten seconds, and over all that is remembered.
  private var rateLines: [String] {
    guard interval > 0, let longest = rates.map(\.counts.count).max(), longest > 0 else { return [] }
    let recent = max(10 / interval, 1)
    let head = "per second".padded(to: 18) + "now".padded(to: 10) + "in \(Self.time(longest * interval))"
    return [head]
      + rates.map { rate in
        let (now, all) = (Self.perSecond(rate.counts.suffix(recent), interval), Self.perSecond(rate.counts[...], interval))
        return "  " + rate.name.padded(to: 16) + now.padded(to: 10) + all
      }
  }

  /// With one decimal.
  private static func perSecond(_ counts: ArraySlice<Int>, _ interval: Int) -> String {
    guard !counts.isEmpty else { return "0.0" }
    let seconds = counts.count * interval
    let tenths = (counts.reduce(0, +) * 10 + seconds / 2) / seconds
    return "\(tenths / 10).\(tenths % 10)"
  }

  private static func time(_ seconds: Int) -> String {
    switch seconds {
    case ..<60: "\(seconds) s"
    case ..<3600: "\(seconds / 60) min"
    case ..<86_400: "\(seconds / 3600) h \(seconds / 60 % 60) min"
    default: "\(seconds / 86_400) d \(seconds / 3600 % 24) h"
    }
  }
}

extension ClusterStatus {
  fileprivate func lines(self node: String) -> [String] {
    let primary = redis.primary.map { "primary \($0)" } ?? "no primary known"
    var lines = [
      "cluster: \(isPassive ? "PASSIVE, no lease" : isSettling ? "active, settling" : "active")  Redis \(redis.isConnected ? "" : "NOT CONNECTED, ")\(primary)"
    ]
    lines.append("  " + "node".padded(to: 16) + "life".padded(to: 8) + "lease".padded(to: 12) + "accounts")
    lines += members.map { member in
      let remark = member.name == node ? "  this node" : member.isReachable ? "" : "  cannot be reached"
      return "  " + member.name.padded(to: 16) + "\(member.incarnation)".padded(to: 8) + "\(member.leaseMS) ms".padded(to: 12)
        + "\(member.accounts)\(remark)"
    }
    if unowned > 0 { lines.append("  owned by nobody: \(unowned)") }
    lines.append("taken over: \(takeovers.nodes) nodes, \(takeovers.accounts) accounts, \(takeovers.calls) calls")
    return lines
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(width - count, 1)) }
}
