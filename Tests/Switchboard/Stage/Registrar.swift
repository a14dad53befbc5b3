import Primitives
import SIP
import Store

@testable import Switchboard

/// The registrar of the provider: it knows one password.
struct Registrar {
  enum Mood {
    /// Wants a digest, and takes the right one.
    case strict
    /// Takes everybody.
    case open
    case refusing(Int)
    case silent
  }

  var mood = Mood.strict
  var isFound = true
  var granted = 600
  var rightPassword = "right"
  var username = "alice"
  /// The last CSeq of each Call-ID.
  var numbers: [String: UInt32] = [:]
  /// What it has, and until when.
  var bindings: [String: Instant] = [:]

  /// As RFC 3263 finds them for the transport that the user chose.
  func targets(_ transport: Account.Transport) -> [Target] {
    SocketAddress(Stage.providerAddress).map { isFound ? [Target(transport: transport == .tcp ? .tcp : .udp, address: $0)] : [] } ?? []
  }

  static let challenge = "Digest realm=\"example.net\", nonce=\"n1\", qop=\"auth\", algorithm=MD5"

  /// An HA1 as far as a test needs one.
  static func ha1(_ password: String) -> String {
    let digits = Hex.encode(Array(password.utf8))
    return String((digits + String(repeating: "0", count: 32)).prefix(32))
  }

  /// Whether the digest is the one that the right password makes.
  func takes(_ request: Request) -> Bool {
    guard let answer = request.message.value(.authorization) ?? request.message.value(.proxyAuthorization),
      let credential = DigestCredential(
        realm: Array("example.net".utf8), algorithm: .md5, ha1: Array(Self.ha1(rightPassword).utf8)),
      let choice = Digest.choose(from: DigestChallenge.parse(Array(Self.challenge.utf8)[...], isProxy: false), with: [credential]).first,
      let cnonce = Self.quoted("cnonce", in: answer.text), let uri = Self.quoted("uri", in: answer.text)
    else { return false }
    var session = DigestSession(choice, username: Array(username.utf8), cnonce: Array(cnonce.utf8))
    return (1...20).contains { _ in session.authorization(method: request.method, uri: Array(uri.utf8)).elementsEqual(answer) }
  }

  static func quoted(_ name: String, in text: String) -> String? {
    for part in text.split(separator: ",") {
      let words = part.split(separator: "=", maxSplits: 1)
      guard words.count == 2, words[0].split(separator: " ").last.map(String.init) == name else { continue }
      return words[1].split(separator: "\"").first.map(String.init)
    }
    return nil
  }
}

extension Stage {
  mutating func registrarGot(_ request: Request) {
    let expires = (try? request.contacts.first)?.flatMap { $0.expires } ?? 0
    let isAuthorized = request.message.has(.authorization)
    write("registrar < REGISTER expires=\(expires)\(isAuthorized ? " authorized" : "")")
    guard let response = answer(to: request, expires: expires) else { return }
    if response.status == 200 { bind(request) }
    inputs.append(.received(response))
  }

  /// RFC 3261 §10.3, step 7.
  private func isOld(_ request: Request) -> Bool {
    guard let id = (try? request.callID)?.text, let number = (try? request.cseq)?.number else { return false }
    return number < registrar.numbers[id] ?? 0
  }

  private mutating func bind(_ request: Request) {
    if let id = (try? request.callID)?.text { registrar.numbers[id] = (try? request.cseq)?.number }
    for contact in (try? request.contacts) ?? [] {
      registrar.bindings[contact.uri.text] = contact.expires == 0 ? nil : now + .seconds(registrar.granted)
    }
  }

  /// The nodes that the registrar would call.
  var boundNodes: [String] {
    registrar.bindings.filter { $0.value > now }.keys.map { uri in
      uri.split(separator: "@").last.map { $0.prefix { $0 != ";" } }.map(String.init) ?? uri
    }.sorted()
  }

  private func answer(to request: Request, expires: UInt32) -> Response? {
    switch registrar.mood {
    case .silent: return nil
    case _ where isOld(request): return Response.make(to: request, status: 500, toTag: Array("r".utf8))
    case .refusing(let status): return Response.make(to: request, status: status, toTag: Array("r".utf8))
    case .strict where !registrar.takes(request):
      return Response.make(to: request, status: 401, toTag: Array("r".utf8)) {
        $0.append(.wwwAuthenticate, Array(Registrar.challenge.utf8))
      }
    case .strict, .open:
      return Response.make(to: request, status: 200, toTag: Array("r".utf8)) { builder in
        guard expires > 0, let contact = (try? request.contacts.first)?.flatMap({ $0.uri.text }) else { return }
        builder.append(.contact, Array("<\(contact)>;expires=\(registrar.granted)".utf8))
      }
    }
  }
}
