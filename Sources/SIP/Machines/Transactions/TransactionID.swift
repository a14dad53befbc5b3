import Cryptography
public import Primitives

/// Names a server transaction on every node: made of what each repetition of the request holds (RFC 3261 §17.2.3).
public struct ServerTransactionID: Hashable, Sendable {
  let key: Bytes
  public let method: Method

  init(key: Bytes, method: Method) {
    self.key = key
    self.method = method
  }

  /// Throws 400 where the request lacks what names a transaction.
  public init(_ request: Request) throws(SIPError) {
    let via = try request.topVia
    var key = Bytes()
    if !via.hasUniqueBranch {
      // RFC 2543: the branch alone says nothing. The To tag stays out: the ACK has one where its INVITE had none.
      key.append(part: request.uri)
      try key.append(part: request.callID)
      try key.append(part: request.fromTag ?? [])
      try key.append(part: Bytes(String(request.cseq.number).utf8))
    }
    key.append(part: via.branch ?? [])
    key.append(part: via.sentBy.host.map(\.lowercased))
    key.append(decimal: via.sentBy.port ?? 0)
    self.init(key: key, method: request.method)
  }

  public func hash(into hasher: inout Hasher) { key.hashAtOnce(into: &hasher) }

  /// The same in few bytes, for those who keep it: the first eight of SHA-256.
  public var digest: Bytes { Array(Hash.sha256(key).prefix(8)) }

  /// The INVITE that an ACK or a CANCEL of this name means (§9.2, §17.2.3).
  public var ofInvite: ServerTransactionID { ServerTransactionID(key: key, method: .invite) }
}

/// Names a client transaction (RFC 3261 §17.1.3): the branch of our Via, and the method, since a CANCEL has that of its INVITE.
public struct ClientTransactionID: Hashable, Sendable {
  let branch: Bytes
  public let method: Method

  init(branch: Bytes, method: Method) {
    self.branch = branch
    self.method = method
  }

  public func hash(into hasher: inout Hasher) { branch.hashAtOnce(into: &hasher) }

  /// Throws 400 where the response lacks what names a transaction.
  init(_ response: Response) throws(SIPError) {
    branch = Array(try response.topVia.branch ?? [])
    method = try response.cseq.method
  }
}

/// What two branches of one forked request have in common (RFC 3261 §8.2.2.2): a new transaction with the identity of an ongoing
/// one is a merged request, answered 482 unless it is for another account.
public struct RequestIdentity: Hashable, Sendable {
  public let callID: Bytes
  public let fromTag: Bytes
  public let cseq: UInt32

  /// Throws 400 for a malformed request.
  public init(_ request: Request) throws(SIPError) {
    callID = Array(try request.callID)
    fromTag = Array(try request.fromTag ?? [])
    cseq = try request.cseq.number
  }

  /// The same in few bytes, for those who keep it: SHA-256 over its parts.
  public var digest: Bytes {
    var text = Bytes()
    text.append(part: callID)
    text.append(part: fromTag)
    text.append(decimal: cseq)
    return Hash.sha256(text)
  }
}

extension Bytes {
  /// Parts are kept apart by a byte that occurs in none of them.
  fileprivate mutating func append(part: some Collection<UInt8>) {
    append(contentsOf: part)
    append(0)
  }
}
