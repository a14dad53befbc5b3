import Foundation
public import Network
public import Primitives

/// Somebody who calls: sipp, on an address of its own.
@LoopActor
public final class Caller {
  public enum Transport: String, Sendable, CaseIterable {
    case udp = "u1"
    case tcp = "t1"
  }

  private let program: Program
  private let folder: TemporaryFolder

  /// Calls at once.
  /// - Parameters:
  ///   - user: the user part of the Request-URI and of To.
  ///   - address: where the INVITE is sent.
  ///   - source: the address to call from; nil: one of its own.
  public init(
    _ scenario: Scenario, to user: String, at address: SocketAddress, over transport: Transport = .udp, from source: SocketAddress? = nil
  ) throws {
    let folder = try TemporaryFolder()
    self.folder = folder
    let file = try folder.write("scenario.xml", scenario.xml)
    let source = source ?? SocketAddress(ip: Loopback.address(), port: 5060)
    program = try Program(
      "/usr/bin/sipp",
      [
        "-sf", file, address.text, "-s", user, "-i", source.ip.text, "-p", String(source.port), "-mi", source.ip.text, "-ci",
        source.ip.text,
        "-t", transport.rawValue, "-m", "1", "-nostdin", "-timeout", "40s", "-timeout_error", "-trace_err", "-error_file",
        folder.path("errors"),
      ])
  }

  /// Whether it went as the scenario says: nil if so, else what sipp complains of.
  public func complaint() async -> String? {
    let status = await program.exit(within: .seconds(45))
    if status == 0 { return nil }
    if status == nil { await program.stop() }
    let errors = FileManager.default.contents(atPath: folder.path("errors")).map { String(decoding: $0, as: UTF8.self) } ?? ""
    return "sipp ended with \(status.map { String($0) } ?? "nothing"): \(errors)"
  }

  public func stop() async { await program.stop() }
}
