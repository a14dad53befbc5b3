import Primitives
import Telemetry

/// What `ringhold check` looks at before anything listens.
public struct Checks: Sendable {
  let configuration: Configuration
  let tools: CheckTools

  public init(_ configuration: Configuration, tools: CheckTools) {
    self.configuration = configuration
    self.tools = tools
  }

  /// All findings, the good ones too, in the order of the file.
  public func run() async -> [Finding] {
    var findings = Self.unserved(configuration)
    findings += await name()
    findings += identity("https.certificate", configuration.https.identity, naming: configuration.serverName)
    findings += addresses()
    findings += configuration.sip.identity.map { identity("sip.certificate", $0, naming: configuration.serverName) } ?? []
    findings += trust("sip.provider_ca", configuration.sip.providerCA)
    findings += await push()
    findings += clusterKey()
    findings += await cluster()
    findings.append(clock())
    return findings
  }

  private func name() async -> [Finding] {
    let name = configuration.serverName
    let addresses = await tools.addresses(name)
    guard !addresses.isEmpty else { return [.warning("server_name", "\(name) has no address: no phone finds the server")] }
    return [.ok("server_name", "\(name) is \(addresses.map(\.text).joined(separator: ", "))")]
  }

  private func clusterKey() -> [Finding] {
    guard let file = configuration.node.clusterKey else { return [] }
    do {
      let isKey = ClusterKey.read(try file.read()) != nil
      let finding = isKey ? Finding.ok("node.cluster_key", file.path) : .error("node.cluster_key", ClusterKey.shape)
      return [finding] + privacy(file)
    } catch {
      return [.unreadable(error)]
    }
  }

  /// Certificates, push tokens and phones' signatures go wrong together where the clock does.
  private func clock() -> Finding {
    let time = UTCTime(tools.now()).text
    return tools.now() > Self.writtenAt
      ? .ok("clock", "\(time); phones allow it to be 60 s off") : .error("clock", "\(time) is before this program was written")
  }

  /// 2026-01-01.
  static let writtenAt = Instant.ms(1_767_225_600_000)
}
