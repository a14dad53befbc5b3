import Cryptography
import Foundation
import HTTP
import PhoneContract
import PhoneKit
import Primitives
import SIP

/// What the small steps of a call cost, each alone in a loop.
enum Steps {
  static func run() {
    Report.heading("Steps (each alone: processor time, mean of the best of five rounds)")
    seals()
    signatures()
    messages()
    bodies()
  }

  private static func seals() {
    let plaintext = Announcement.call(at: .zero, number: "+4930123456", name: "Caller").padded()
    for (name, algorithm) in [("X25519", SealingAlgorithm.x25519), ("P-256", .p256)] {
      let key = SealingPrivateKey.generate(algorithm).publicKey
      measure("HPKE seal of 512 bytes, \(name)") { _ = try? HPKE.seal(plaintext, to: key, info: Contract.announcementInfo) }
    }
    measure("announcement to 512 bytes") { _ = Announcement.call(at: .zero, number: "+4930123456", name: "Caller").padded() }
  }

  private static func signatures() {
    let message = Bytes(repeating: 65, count: 300)
    for (name, algorithm) in [("Ed25519", SigningAlgorithm.ed25519), ("P-256", .p256)] {
      let key = SigningPrivateKey.generate(algorithm)
      let (signature, publicKey) = (key.sign(message), key.publicKey)
      measure("signature check of 300 bytes, \(name)") { _ = publicKey.isValid(signature: signature, for: message) }
    }
    guard let phone = try? Phone.generate() else { return }
    let request = phone.signed(PhoneRequest.fetch(.one, .answer).encoded, authority: "localhost", created: 0, nonce: "0123456789abcdef")
    measure("signature fields of a request to the signature base") {
      _ = try? MessageSignature(label: Contract.signatureLabel, in: request.fields).base(for: request)
    }
  }

  private static func messages() {
    let call = PreparedCall(1, to: "sip:0123456789abcdef@127.0.0.61:5060")
    guard case .request(let invite)? = try? MessageParser.parse(call.invite) else { return }
    let call2 = invite
    measure("SIP parse of an INVITE (\(call.invite.count) bytes)") { _ = try? MessageParser.parse(call.invite) }
    measure("SIP validation of its values") { _ = try? call2.validated() }
    measure("SIP response with the INVITE's fields") { _ = Response.make(to: call2, status: 180, toTag: [65, 66, 67]) }
  }

  private static func bodies() {
    let reply = FetchReply(line: .one, offer: String(repeating: "a=rtpmap:8 PCMA/8000\r\n", count: 20))
    let body = AnswerBody(sdp: String(repeating: "a=rtpmap:8 PCMA/8000\r\n", count: 20)).json
    measure("JSON encode of a fetch's reply (SDP of 440 bytes)") { _ = reply.json }
    measure("JSON decode of an answer (SDP of 440 bytes)") { _ = try? AnswerBody(json: body) }
  }

  /// By the processor's time, so that a busy machine changes less of it.
  private static func measure(_ name: String, _ body: () -> Void) {
    let once = used { for _ in 0..<20 { body() } } / 20
    let rounds = max(Int(Duration.milliseconds(60) / max(once, .nanoseconds(50))), 20)
    let best = (0..<5).map { _ in used { for _ in 0..<rounds { body() } } / rounds }.min() ?? .zero
    Report.line(name, Report.decimal(best.microseconds, 2) + " µs")
  }

  private static func used(_ body: () -> Void) -> Duration {
    let start = threadTime()
    body()
    return threadTime() - start
  }

  private static func threadTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
