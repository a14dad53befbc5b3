import Foundation
import Primitives
import SIP

/// The message files beside these tests.
enum Samples {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../Data")

  static func bytes(_ path: String) throws -> Bytes { Bytes(try Data(contentsOf: root.appendingPathComponent(path))) }

  /// All files of a folder with this extension, in order.
  static func files(_ folder: String, _ suffix: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent(folder).path).filter { $0.hasSuffix(suffix) }
      .sorted().map { folder + "/" + $0 }
  }

  static func request(_ path: String) throws -> Request { try request(bytes(path)) }

  static func request(_ bytes: Bytes) throws -> Request {
    guard case .request(let request) = try MessageParser.parse(bytes) else { throw NotThis() }
    return request
  }

  static func response(_ path: String) throws -> Response {
    guard case .response(let response) = try MessageParser.parse(bytes(path)) else { throw NotThis() }
    return response
  }

  struct NotThis: Error {}
}

/// Text with line feeds as a message with CRLF.
func message(_ text: String) -> Bytes { Array(text.replacingOccurrences(of: "\n", with: "\r\n").utf8) }

func slice(_ text: String) -> Slice { Array(text.utf8)[...] }

/// What becomes of a datagram.
enum Verdict: Equatable {
  case accepted
  case refused(Int)
  case dropped

  init(_ datagram: Bytes) {
    do {
      switch try MessageParser.parse(datagram) {
      case .request(let request): try request.validated()
      case .response(let response): try response.validated()
      }
      self = .accepted
    } catch {
      self = error.request == nil ? .dropped : .refused(error.status)
    }
  }
}

/// Reads everything that can be read.
func readAll(_ datagram: Bytes) {
  guard let parsed = try? MessageParser.parse(datagram) else { return }
  switch parsed {
  case .request(let request):
    _ = try? request.validated()
    _ = (try? URI(request.uri)).map { ($0.unescapedUser, $0.matches($0), $0.parameters.all) }
    _ = Caller(of: request)
    _ = try? request.stamped(source: SocketAddress(ip: .loopbackIPv4, port: 5060))
    _ = Response.make(to: request, status: 180, toTag: [65])
    readFields(request)
  case .response(let response):
    _ = try? response.validated()
    readFields(response)
  }
}

private func readFields(_ message: some MessageFields) {
  _ = (try? message.contacts)?.map { ($0.displayName, $0.expires, try? URI($0.uri)) }
  _ = (try? message.recordRoutes, try? message.routes, try? message.serviceRoutes, try? message.associatedURIs)
  _ = (try? message.vias)?.map { ($0.branch, $0.received, $0.rport, $0.hasUniqueBranch) }
  _ = (message.require, message.supported, message.unsupported, message.allow, message.privacy, message.acceptsSDP)
  _ = (message.expires, message.minExpires, message.retryAfter, message.minSE, message.sessionExpires)
  _ = try? message.sessionDescription
}

extension Bytes {
  func contains(subsequence text: String) -> Bool { self.text.contains(text) }
}
