import Foundation
public import Network
public import Primitives

/// A real name server (knotd) on a free port of the loopback, with the zone `example.org`.
@LoopActor
public final class NameServer {
  public let address: SocketAddress
  private let process = Process()
  private let folder: URL

  nonisolated public static let isInstalled = FileManager.default.isExecutableFile(atPath: "/usr/sbin/knotd")

  public init() throws {
    // A port that was free just now for both UDP and TCP.
    let probe = try UDPSocket(bind: anyPort) { _, _ in }
    address = probe.local
    probe.close()
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("knot-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Self.zone.write(to: folder.appendingPathComponent("zone"), atomically: true, encoding: .utf8)
    try configuration.write(to: folder.appendingPathComponent("conf"), atomically: true, encoding: .utf8)
    process.executableURL = URL(fileURLWithPath: "/usr/sbin/knotd")
    process.arguments = ["-c", folder.appendingPathComponent("conf").path]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
  }

  /// Starts it, and waits until it answers.
  public func start() async throws {
    _ = await Once<Bool>().wait(.milliseconds(5))
    try process.run()
    for _ in 0..<100 {
      let resolver = try Resolver(servers: [address], limits: .short)
      if (try? await resolver.addresses(of: "up.example.org")) != nil { return }
      _ = await Once<Bool>().wait(.milliseconds(50))
    }
  }

  public func stop() {
    kill(process.processIdentifier, SIGTERM)
    try? FileManager.default.removeItem(at: folder)
  }

  private var configuration: String {
    """
    server:
      rundir: "\(folder.path)"
      listen: \(address.ip.text)@\(address.port)
      background-workers: 1
      udp-workers: 1
      tcp-workers: 1
    log:
      - target: stderr
        any: error
    database:
      storage: "\(folder.path)/db"
    control:
      listen: "\(folder.path)/knot.sock"
    zone:
      - domain: example.org
        file: "\(folder.path)/zone"
        zonefile-load: whole
        journal-content: none

    """
  }

  private static let zone = """
    $ORIGIN example.org.
    $TTL 60
    @ SOA ns hostmaster 1 3600 600 86400 5
    @ NS ns
    ns A 127.0.0.1
    up A 127.0.0.9
    both A 192.0.2.1
    both A 192.0.2.2
    both AAAA 2001:db8::1
    four A 192.0.2.4
    pair A 127.0.0.1
    pair A 127.0.0.2
    alias CNAME both
    @ NAPTR 20 50 "s" "SIP+D2U" "" _sip._udp
    @ NAPTR 10 50 "s" "SIPS+D2T" "" _sips._tcp
    _sip._udp SRV 10 60 5060 both
    _sip._udp SRV 10 40 5070 four
    _sip._udp SRV 20 0 5080 up
    _sips._tcp SRV 0 0 5061 both
    short 0 A 192.0.2.7

    """
}

extension ResolverLimits {
  public static var short: ResolverLimits {
    var limits = ResolverLimits()
    limits.timeout = .milliseconds(300)
    return limits
  }
}
