import Endpoints
import HTTP
import Network
import Primitives

/// Asks a node how it is, over its admin address.
public enum StatusQuery {
  public enum Failure: Error, Equatable, CustomStringConvertible {
    case address
    case noAnswer
    case noReport(status: Int)

    public var description: String {
      switch self {
      case .address: "--admin must be http://HOST[:PORT]"
      case .noAnswer: "no answer: is a node running, and is this its admin address?"
      case .noReport(let status): "what answered (with status \(status)) is no node of this version"
      }
    }
  }

  /// - Parameter admin: `http://HOST[:PORT]`, as `admin.listen` has it.
  @LoopActor
  public static func report(of admin: String) async throws(Failure) -> StatusReport {
    guard let origin = HTTPOrigin(admin), origin.scheme == .http else { throw .address }
    let resolver = IPAddress(origin.host) == nil ? try? Resolver() : nil
    let client = HTTPClient(origin: origin, tls: nil, resolver: resolver)
    defer {
      client.close()
      resolver?.close()
    }
    let request = HTTPRequest(method: "GET", scheme: "http", authority: "", path: "/status.json")
    guard let response = try? await client.send(request, timeout: .seconds(5)) else { throw .noAnswer }
    guard response.status == 200, let report = StatusReport(json: response.body) else { throw .noReport(status: response.status) }
    return report
  }
}
