public import Primitives

/// One side of a dialog (RFC 3261 §12) as plain data: it knows route set and target, never a socket.
public struct Dialog: Sendable, Hashable {
  /// What names a dialog on this side.
  public struct ID: Sendable, Hashable {
    public let callID: Bytes
    public let localTag: Bytes
    /// Empty for a peer of RFC 2543, which has none.
    public let remoteTag: Bytes

    public init(callID: Bytes, localTag: Bytes, remoteTag: Bytes) {
      self.callID = callID
      self.localTag = localTag
      self.remoteTag = remoteTag
    }

    /// The dialog that a request from the network says it is in; nil without a To tag: it is in none. Throws 400.
    public init?(of request: Request) throws(SIPError) {
      guard let localTag = try request.toTag else { return nil }
      self.init(callID: Array(try request.callID), localTag: Array(localTag), remoteTag: Array(try request.fromTag ?? []))
    }
  }

  public let id: ID
  /// The From value of our requests, and the To value, with their tags.
  let local: Bytes
  let remote: Bytes
  /// The values for Route, the next hop first.
  public let routeSet: [Bytes]
  /// The URI where the peer wants requests (the remote target).
  public internal(set) var target: Bytes
  /// Of the last request that we sent; 0 before the first.
  public internal(set) var localCSeq: UInt32
  /// Of the last request that came; nil before the first.
  public internal(set) var remoteCSeq: UInt32?

  /// The dialog that our 2xx with `localTag` to this INVITE makes (§12.1.1). Throws 400 where it lacks what a dialog is made of.
  public init(accepting invite: Request, localTag: Bytes) throws(SIPError) {
    id = ID(callID: Array(try invite.callID), localTag: localTag, remoteTag: Array(try invite.fromTag ?? []))
    local = try Self.tagged(invite.to, localTag)
    remote = Array(try invite.from.raw)
    routeSet = try invite.recordRoutes.map { Array($0.raw) }
    target = try Self.target(in: invite)
    localCSeq = 0
    remoteCSeq = try invite.cseq.number
  }

  /// The dialog that a 1xx or 2xx with a To tag to our INVITE makes (§12.1.2). Throws 400 where they lack what a dialog is made of.
  public init(of invite: Request, answeredBy response: Response) throws(SIPError) {
    id = ID(
      callID: Array(try invite.callID), localTag: Array(try invite.fromTag ?? []), remoteTag: Array(try response.toTag ?? []))
    local = Array(try invite.from.raw)
    remote = Array(try response.to.raw)
    routeSet = try response.recordRoutes.reversed().map { Array($0.raw) }
    target = try Self.target(in: response)
    localCSeq = try invite.cseq.number
    remoteCSeq = nil
  }

  private static func tagged(_ to: NameAddress, _ tag: Bytes) -> Bytes {
    guard to.tag == nil else { return Array(to.raw) }
    var value = Array(to.raw)
    value.append(";tag=")
    return value + tag
  }

  private static func target(in message: some MessageFields) throws(SIPError) -> Bytes {
    let contacts = try message.contacts
    guard contacts.count == 1 else { throw .bad(contacts.isEmpty ? .missing(.contact) : .repeated(.contact)) }
    return Array(contacts[0].uri)
  }
}

/// What comes from the peer.
extension Dialog {
  public enum Verdict: Sendable, Equatable {
    case accept
    /// An older request than one that came before: 500 (§12.2.2).
    case outOfOrder
  }

  /// A request in this dialog, no repetition of one. Its target counts only once it got a 2xx: see `refreshTarget`.
  public mutating func received(_ request: Request) throws(SIPError) -> Verdict {
    let number = try request.cseq.number
    // An ACK has the number of its INVITE, which may be older than a request that came since.
    if request.method == .ack { return .accept }
    if let remoteCSeq, number < remoteCSeq { return .outOfOrder }
    remoteCSeq = number
    return .accept
  }

  /// Takes the peer's Contact from its INVITE or UPDATE that we answered 2xx, or from its 2xx to ours (§12.2.1.2, RFC 3311 §5.1).
  /// Without a readable one the target stays.
  public mutating func refreshTarget(from message: some MessageFields) {
    if let refreshed = try? Self.target(in: message) { target = refreshed }
  }
}
