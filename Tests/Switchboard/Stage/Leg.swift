import Primitives
import SIP
import Store

@testable import Switchboard

/// The caller's side of one call, as the provider sends it.
struct Leg {
  var callID: String
  var branch: String
  var fromTag: String
  var cseq = 1
  /// Of our responses; nil before the first.
  var toTag: String?
  var sdp: String?
  var source = Stage.providerAddress
  var transport = Transport.udp
  var to = "alice"
  /// The caller has ended it, or told us that there is no such dialog.
  var isOver = false
  /// The node that got its INVITE.
  var firstNode = ""
  /// The node that it last heard of.
  var node = ""
  /// Header lines that all its responses carried, for tests that look closer.
  var invite: Request?
  var responses: [Response] = []
  var requests: [Request] = []

  static func sdp(_ name: String, version: Int = 1) -> String {
    "v=0\r\no=\(name) 7 \(version) IN IP4 192.0.2.9\r\ns=\(name)\r\nc=IN IP4 192.0.2.9\r\nt=0 0\r\nm=audio 4000 RTP/AVP 0 8\r\n"
  }

  /// What stands behind `s=`: who made it.
  static func name(ofSDP body: some Collection<UInt8>) -> String {
    let line = Array(body).split { $0 == 13 || $0 == 10 }.first { $0.starts(with: Array("s=".utf8)) }
    return line.map { String(decoding: $0.dropFirst(2), as: UTF8.self) } ?? "?"
  }
}

/// A request as text, with the fields that a test wants different.
struct Draft {
  var method: String
  var uri: String
  var fields: [(String, String)] = []
  var body = ""
  var bodyType: String? = "application/sdp"

  var request: Request {
    get throws {
      var text = "\(method) \(uri) SIP/2.0\r\n"
      for (name, value) in fields { text += "\(name): \(value)\r\n" }
      if !body.isEmpty, let bodyType { text += "Content-Type: \(bodyType)\r\n" }
      text += "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
      guard case .request(let request) = try MessageParser.parse(Array(text.utf8)) else { throw NoRequest() }
      return request
    }
  }

  struct NoRequest: Error {}
}
