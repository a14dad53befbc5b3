import Primitives
import SIP

/// One call to an account: its messages, made beforehand.
struct PreparedCall: Sendable {
  let name: String
  let invite: Bytes
  let cancel: Bytes
  /// The address of the provider that it comes from.
  let provider: String
  /// Where the Contact is; nil where that is no address.
  let destination: SocketAddress?
  private let target: String
  private let number: Int

  /// - Parameter target: the Contact that the server registered.
  init(_ number: Int, to target: String, from provider: String = Workplace.provider) {
    (self.number, self.target, self.provider) = (number, target, provider)
    name = "call-\(number)@\(provider)"
    destination = Self.host(of: target).flatMap { SocketAddress($0) }
    let offer = """
      v=0\r
      o=- 7 1 IN IP4 \(provider)\r
      s=-\r
      c=IN IP4 \(provider)\r
      t=0 0\r
      m=audio 30000 RTP/AVP 8 0 101\r
      a=rtpmap:8 PCMA/8000\r
      a=rtpmap:0 PCMU/8000\r
      a=rtpmap:101 telephone-event/8000\r\n
      """
    let fields =
      "Contact: <sip:caller@\(provider)>\r\nAllow: INVITE, ACK, CANCEL, BYE, UPDATE\r\nContent-Type: application/sdp\r\n"
    let head = Head(target: target, name: name, number: number, provider: provider)
    invite = head.request("INVITE", cseq: 1, branch: "i\(number)", fields: fields, body: offer)
    cancel = head.request("CANCEL", cseq: 1, branch: "i\(number)")
  }

  /// `127.0.0.1:5060` of `sip:TOKEN@127.0.0.1:5060;transport=udp`.
  static func host(of target: String) -> String? {
    target.split(separator: "@").last?.split(separator: ";").first.map(String.init)
  }

  /// `answer` names our side's tag; the ACK to a refusal belongs to the INVITE's transaction, that to a 200 is one of its own.
  func ack(_ answer: Response) -> Bytes {
    let branch = answer.status < 300 ? "a\(number)" : "i\(number)"
    return head.request("ACK", cseq: 1, branch: branch, to: answer.message.value(.to)?.text)
  }

  func bye(_ answer: Response) -> Bytes { head.request("BYE", cseq: 2, branch: "b\(number)", to: answer.message.value(.to)?.text) }

  private var head: Head { Head(target: target, name: name, number: number, provider: provider) }

  /// What all requests of a call have in common.
  private struct Head {
    let target: String
    let name: String
    let number: Int
    let provider: String

    func request(
      _ method: String, cseq: Int, branch: String, to: String? = nil, fields: String = "", body: String = ""
    ) -> Bytes {
      let head = """
        \(method) \(target) SIP/2.0\r
        Via: SIP/2.0/UDP \(provider):5060;branch=z9hG4bK-\(branch)\r
        Max-Forwards: 70\r
        From: "Caller \(number % 100)" <sip:+4930\(1_000_000 + number)@\(provider)>;tag=c\(number)\r
        To: \(to ?? "<\(target)>")\r
        Call-ID: \(name)\r
        CSeq: \(cseq) \(method)\r
        \(fields)Content-Length: \(body.utf8.count)\r\n\r\n
        """
      return Bytes((head + body).utf8)
    }
  }
}
