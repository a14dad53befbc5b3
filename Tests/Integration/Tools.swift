import Cryptography
import HTTP
import Network
import PhoneContract
import PhoneKit
import Primitives
import TestKit

/// A phone whose requests are sent by a tool, signed beforehand.
@LoopActor
protocol Tool {
  var handset: Handset { get }
  var authority: String { get }
}

extension Tool {
  var setUpBody: SetUpBody {
    SetUpBody(account: handset.account(over: .udp), device: DeviceBody(keys: handset.phone.keys, push: handset.pushAddress))
  }

  func signed(_ request: PhoneRequest, created: Int64? = nil, nonce: String? = nil) -> HTTPRequest {
    handset.phone.signed(
      request.encoded, authority: authority, created: created ?? Loop.unixNow().seconds,
      nonce: nonce ?? Base64.urlSafe.encode(SystemRandom.bytes(18)))
  }
}

@LoopActor
struct Curl: Tool {
  let handset: Handset
  let authority: String
  private let options: [String]

  /// - Parameter host: for the URL; nil for the name that the certificate has.
  init(_ setting: Setting, _ handset: Handset, _ options: [String] = [], host: String? = nil) {
    self.handset = handset
    authority = "\(host ?? "localhost"):\(setting.https.port)"
    let way = "localhost:\(setting.https.port):\(setting.https.text)"
    self.options = ["-sS", "-i", "--max-time", "30", "--cacert", setting.trusted, "--connect-to", way] + options
  }

  /// The response: head and body.
  func send(_ request: PhoneRequest) async throws -> String { try await send(signed(request)) }

  func send(_ request: HTTPRequest, _ more: [String] = []) async throws -> String {
    let fields = request.fields.flatMap { ["-H", "\($0.name): \($0.value)"] }
    let body = request.body.isEmpty ? [] : ["--data-binary", "@-"]
    let run = try await Program.run(
      "/usr/bin/curl", options + more + ["-X", request.method] + fields + body + ["https://\(authority)\(request.path)"],
      input: request.body.isEmpty ? nil : request.body.text, within: .seconds(40))
    return run.output
  }
}

@LoopActor
struct NGHTTP: Tool {
  let handset: Handset
  let authority: String

  init(_ setting: Setting, _ handset: Handset) {
    self.handset = handset
    authority = setting.https.text
  }

  /// Everything that it prints: frames with their header fields, and the body.
  func send(_ request: PhoneRequest) async throws -> String {
    let signed = signed(request)
    let fields = signed.fields.flatMap { ["-H", "\($0.name): \($0.value)"] }
    let folder = try TemporaryFolder()
    let body = signed.body.isEmpty ? [] : ["-d", try folder.write("body", signed.body)]
    let run = try await Program.run(
      "/usr/bin/nghttp", ["-v", "-t", "30", "-H", ":method: \(signed.method)"] + fields + body + ["https://\(authority)\(signed.path)"],
      within: .seconds(40))
    return run.output
  }
}
