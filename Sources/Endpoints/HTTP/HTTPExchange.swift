public import HTTP
public import Network
public import Primitives

/// The way back for one request.
@LoopActor
public final class HTTPExchange {
  private enum State { case open, streaming, over }

  /// The client's address.
  public let peer: SocketAddress
  /// The DNS names in the certificate that the client has shown; none where the server's context does not ask for one.
  public let peerNames: [String]
  /// Called at most once, when the client does not wait any more and the response was not complete.
  public var onGone: (@LoopActor () -> Void)?

  private weak var connection: HTTPServerConnection?
  private let stream: HTTP2StreamID
  private var state: State = .open

  init(_ connection: HTTPServerConnection, stream: HTTP2StreamID) {
    self.connection = connection
    self.stream = stream
    peer = connection.peer
    peerNames = connection.peerNames
  }

  /// Whether a response would still go anywhere.
  public var isOpen: Bool { state == .open }

  /// The response; Date is added where it has none. The first one counts, and none where the client is gone.
  public func respond(_ response: HTTPResponse) {
    guard state == .open else { return }
    finish()
    connection?.respond(response.dated, on: stream)
  }

  /// The head of a response whose body comes in parts: `sendData`, then `end`.
  public func sendHeaders(_ response: HTTPResponse) {
    guard state == .open else { return }
    state = .streaming
    connection?.sendHeaders(response.dated, on: stream)
  }

  public func sendData(_ data: Bytes) {
    if state == .streaming { connection?.sendData(data, on: stream) }
  }

  public func end() {
    guard state == .streaming else { return }
    finish()
    connection?.end(stream)
  }

  func gone() {
    guard state != .over else { return }
    let onGone = onGone
    finish()
    onGone?()
  }

  private func finish() {
    state = .over
    onGone = nil
    connection?.forget(stream)
  }
}

extension HTTPResponse {
  /// RFC 9110 §6.6.1.
  @LoopActor fileprivate var dated: HTTPResponse {
    guard fields["date"] == nil else { return self }
    var response = self
    response.fields.set("date", to: HTTPDate.text(Loop.unixNow().seconds))
    return response
  }
}
