import FoundationEssentials
import HTTP
import Primitives

extension APNsAnswer {
  init(_ response: HTTPResponse) {
    // Every answer of 200 is empty, and a decoder takes its time to say so.
    let body = response.body.isEmpty ? nil : try? JSONDecoder().decode(Body.self, from: Data(response.body))
    self.init(
      status: response.status, reason: body?.reason, since: body?.timestamp.map { .zero + .milliseconds($0) },
      retryAfter: response.fields.values("retry-after").first.flatMap { Array($0.utf8).decimal(as: UInt16.self) }.map { .seconds($0) })
  }

  private struct Body: Decodable {
    let reason: String?
    /// Milliseconds since the Unix epoch.
    let timestamp: Int64?
  }
}
