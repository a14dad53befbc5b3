import Network
import Primitives
import SIP

/// Providers on UDP, each at an address of its own: they register whoever asks, call them, and note when what came. One caller's
/// messages are made before the first is sent.
@LoopActor
final class StandInProvider {
  /// Called with the status and the call's name, for each response to an INVITE.
  var onAnswer: ((Int, String, Response) -> Void)?
  /// Called with the user and the Contact, when the 200 has been sent.
  var onRegistered: ((String, String) -> Void)?
  /// Seconds that a binding is good for.
  var granted = 3600

  /// REGISTERs so far.
  private(set) var registrations = 0
  /// The Contact of each user.
  private(set) var registered: [String: String] = [:]
  private var sockets: [String: UDPSocket] = [:]

  init(_ addresses: [String]) throws {
    for text in addresses {
      guard let address = SocketAddress(text + ":5060") else { throw Trouble("no address") }
      sockets[text] = try UDPSocket(bind: address) { [weak self] datagram, from in self?.received(Bytes(datagram), from, at: text) }
    }
  }

  func close() { for socket in sockets.values { socket.close() } }

  private func received(_ datagram: Bytes, _ from: SocketAddress, at address: String) {
    switch try? MessageParser.parse(datagram) {
    case .request(let request) where request.method == .register: register(request, from, at: address)
    case .request(let request) where request.method != .ack: send(answer(to: request), to: from, at: address)
    case .request, nil: break
    case .response(let response):
      guard let cseq = try? response.cseq, cseq.method == .invite, let id = try? response.callID else { return }
      onAnswer?(response.status, id.text, response)
    }
  }

  // MARK: The registrar

  /// Without a challenge. A user has one binding: what a REGISTER takes away beside it is gone anyway.
  private func register(_ request: Request, _ from: SocketAddress, at address: String) {
    registrations += 1
    let contact = (try? request.contacts)?.first { $0.parameters["expires"].map { !$0.equals("0") } ?? true }?.uri.text
    let user = (try? request.to).flatMap { try? URI($0.uri) }?.user?.text
    send(answer(to: request, contact: contact), to: from, at: address)
    guard let contact, let user else { return }
    registered[user] = contact
    onRegistered?(user, contact)
  }

  private func answer(to request: Request, contact: String? = nil) -> Bytes {
    let response = Response.make(to: request, status: 200, toTag: Bytes("registrar".utf8)) { builder in
      if let contact { builder.append(.contact) { $0.append(contentsOf: "<\(contact)>;expires=\(granted)".utf8) } }
    }
    return response.message.raw
  }

  private func send(_ bytes: Bytes, to address: SocketAddress, at own: String) { sockets[own]?.send(bytes, to: address) }

  // MARK: The caller

  func ring(_ call: PreparedCall) { send(call.invite, of: call) }

  func send(_ bytes: Bytes, of call: PreparedCall) {
    if let target = call.destination { send(bytes, to: target, at: call.provider) }
  }
}
