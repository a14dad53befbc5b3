public import Cryptography
import Foundation
public import Network
public import Primitives

/// A SIP provider: Kamailio on an address of its own, port 5060 for UDP and TCP, 5061 for TLS. Each user has the password that
/// `password(of:)` gives; what a user's name begins with changes how he is treated, see `KamailioConfiguration`.
@LoopActor
public final class Provider {
  public nonisolated static let domain = "calls.test"
  public nonisolated static func password(of user: String) -> String { "only-\(user)-knows" }

  public let address: IPAddress
  private let program: Program
  private let folder: TemporaryFolder

  /// - Parameters:
  ///   - names: what its certificate names.
  ///   - algorithm: of its digest challenges, `MD5` or `SHA-256`.
  public init(
    at address: IPAddress? = nil, authority: CertificateAuthority, names: [String] = [Provider.domain], algorithm: String = "MD5"
  ) async throws {
    let address = address ?? Loopback.address()
    let folder = try TemporaryFolder()
    let identity = try authority.issue(names: names)
    try folder.write("ca.pem", authority.certificatePEM)
    try folder.write("provider.pem", identity.certificatePEM)
    try folder.write("provider.key", identity.keyPEM)
    let configuration = KamailioConfiguration(address: address.text, domain: Self.domain, folder: folder.path, algorithm: algorithm)
    try folder.write("tls.cfg", configuration.tls)
    let main = try folder.write("kamailio.cfg", configuration.text)
    self.address = address
    self.folder = folder
    program = try Program("/usr/sbin/kamailio", ["-f", main, "-DD", "-E", "-m", "32", "-M", "8", "-w", folder.path])
    try await waitUntilReady()
  }

  public var socketAddress: SocketAddress { SocketAddress(ip: address, port: 5060) }

  /// The control socket is there before the others; a TCP connection says that all of it is.
  private func waitUntilReady() async throws {
    let isReady = await eventually(within: .seconds(60)) {
      guard program.isRunning, let stream = try? await Connector.connect(to: SocketAddress(ip: address, port: 5061)) else { return false }
      stream.abort()
      return true
    } until: {
      $0
    }
    guard isReady else { throw ProgramFailure(program: program) }
  }

  /// Ends it; its bindings are lost.
  public func stop() async { await program.stop() }

  // MARK: Its registrar

  public struct Binding: Sendable, Equatable {
    /// The URI of the Contact.
    public let contact: String
    /// Seconds that are left.
    public let expires: Int
    public let cseq: Int
  }

  /// What is registered for a user. Kamailio is asked by its own tool.
  public func bindings(of user: String) async throws -> [Binding] {
    let asked = try await Program.run("/usr/sbin/kamcmd", ["-s", "unix:\(folder.path("ctl"))", "ul.lookup", "location", user])
    var bindings: [Binding] = []
    var fields: [String: String] = [:]
    for line in asked.output.split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
      guard parts.count == 2 else { continue }
      fields[parts[0]] = parts[1]
      // The last one of a binding that is of interest.
      guard parts[0] == "CSeq", let contact = fields["Address"] else { continue }
      bindings.append(Binding(contact: contact, expires: Int(fields["Expires"] ?? "") ?? 0, cseq: Int(parts[1]) ?? 0))
    }
    return bindings
  }

  /// Waits until so many are registered for a user.
  public func bindings(of user: String, reach count: Int, within limit: Duration = .seconds(10)) async throws -> [Binding] {
    try await eventually(within: limit, { try await bindings(of: user) }, until: { $0.count == count })
  }
}

/// A program that did not come up, with what it said.
public struct ProgramFailure: Error, CustomStringConvertible {
  public let description: String

  @LoopActor public init(program: Program) { description = "\(program.name) did not start:\n\(program.output)" }
}
