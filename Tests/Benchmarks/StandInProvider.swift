import Network
import Primitives
import SIP

/// A provider on UDP: registers whoever asks, calls them, and notes when what came. One caller's messages are made before the
/// first is sent.
@LoopActor
final class StandInProvider {
  /// Called with the status and the call's name, for each response to an INVITE.
  var onAnswer: ((Int, String, Response) -> Void)?

  private var socket: UDPSocket?
  private(set) var registered: [String: String] = [:]
  private let address: SocketAddress
  let server: SocketAddress

  init(server: SocketAddress) throws {
    guard let address = SocketAddress(Workplace.provider + ":5060") else { throw Trouble("no address") }
    (self.address, self.server) = (address, server)
    socket = try UDPSocket(bind: address) { [weak self] datagram, from in self?.received(Bytes(datagram), from) }
  }

  func close() { socket?.close() }

  // MARK: The registrar

  private func received(_ datagram: Bytes, _ from: SocketAddress) {
    switch try? MessageParser.parse(datagram) {
    case .request(let request): answer(request, from)
    case .response(let response):
      guard let cseq = try? response.cseq, cseq.method == .invite, let id = try? response.callID else { return }
      onAnswer?(response.status, id.text, response)
    case nil: break
    }
  }

  /// Every request gets its 200; a REGISTER's names the binding, so the server is registered at once.
  private func answer(_ request: Request, _ from: SocketAddress) {
    guard request.method != .ack else { return }
    let contact = request.method == .register ? request.message.value(.contact) : nil
    let response = Response.make(to: request, status: 200, toTag: Bytes("registrar".utf8)) { builder in
      guard let contact else { return }
      builder.append(.contact) { value in
        value.append(contentsOf: contact)
        if !contact.text.contains("expires=") { value.append(";expires=3600") }
      }
    }
    if let contact, let user = (try? request.to).flatMap({ try? URI($0.uri) })?.user, let uri = try? NameAddress(contact).uri {
      registered[user.text] = uri.text
    }
    socket?.send(response.message.raw, to: from)
  }

  // MARK: The caller

  func send(_ bytes: Bytes) { socket?.send(bytes, to: server) }
}

/// One call to an account: its messages, made beforehand.
struct PreparedCall: Sendable {
  let name: String
  let invite: Bytes
  let cancel: Bytes
  private let target: String

  /// - Parameter target: the Contact that the server registered.
  init(_ number: Int, to target: String) {
    self.target = target
    name = "call-\(number)@\(Workplace.provider)"
    let offer = """
      v=0\r
      o=- 7 1 IN IP4 \(Workplace.provider)\r
      s=-\r
      c=IN IP4 \(Workplace.provider)\r
      t=0 0\r
      m=audio 30000 RTP/AVP 8 0 101\r
      a=rtpmap:8 PCMA/8000\r
      a=rtpmap:0 PCMU/8000\r
      a=rtpmap:101 telephone-event/8000\r\n
      """
    invite = Self.request(
      "INVITE", target, name, number, cseq: 1, branch: "i\(number)",
      fields: "Contact: <sip:caller@\(Workplace.provider)>\r\nContent-Type: application/sdp\r\n", body: offer)
    cancel = Self.request("CANCEL", target, name, number, cseq: 1, branch: "i\(number)")
    self.number = number
  }

  private let number: Int

  /// `answer` names our side's tag; the ACK to a refusal belongs to the INVITE's transaction, that to a 200 is one of its own.
  func ack(_ answer: Response) -> Bytes {
    let branch = answer.status < 300 ? "a\(number)" : "i\(number)"
    return Self.request("ACK", target, name, number, cseq: 1, branch: branch, to: answer.message.value(.to)?.text)
  }

  func bye(_ answer: Response) -> Bytes {
    Self.request("BYE", target, name, number, cseq: 2, branch: "b\(number)", to: answer.message.value(.to)?.text)
  }

  private static func request(
    _ method: String, _ target: String, _ name: String, _ number: Int, cseq: Int, branch: String, to: String? = nil, fields: String = "",
    body: String = ""
  ) -> Bytes {
    let head = """
      \(method) \(target) SIP/2.0\r
      Via: SIP/2.0/UDP \(Workplace.provider):5060;branch=z9hG4bK-\(branch)\r
      Max-Forwards: 70\r
      From: "Caller \(number % 100)" <sip:+4930\(1_000_000 + number)@\(Workplace.provider)>;tag=c\(number)\r
      To: \(to ?? "<\(target)>")\r
      Call-ID: \(name)\r
      CSeq: \(cseq) \(method)\r
      \(fields)Content-Length: \(body.utf8.count)\r\n\r\n
      """
    return Bytes((head + body).utf8)
  }
}
