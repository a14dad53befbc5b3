public import Primitives

extension DigestChallenge: RecordCodable {
  public init(_ record: Record) throws(RecordError) {
    realm = try record.owned(1)
    nonce = try record.owned(2)
    opaque = try record.optionalOwned(3)
    algorithm = try record.choice(4)
    isSession = try record.flag(5)
    namesAlgorithm = try record.flag(6)
    protection = try record.optionalChoice(7)
    isStale = try record.flag(8)
    isProxy = try record.flag(9)
  }

  public func write(to writer: inout RecordWriter) {
    writer.write(1, realm)
    writer.write(2, nonce)
    writer.write(3, opaque)
    writer.write(4, choice: algorithm)
    writer.write(5, flag: isSession)
    writer.write(6, flag: namesAlgorithm)
    writer.write(7, choice: protection)
    writer.write(8, flag: isStale)
    writer.write(9, flag: isProxy)
  }
}

/// The HA1 stays out: whoever reads the session has it from the account.
extension DigestSession: RecordWritable {
  /// nil where none of the credentials fits: then the server has to challenge anew.
  init?(_ record: Record, username: Bytes, credentials: [DigestCredential]) throws(RecordError) {
    let challenge = try record.value(1, as: DigestChallenge.self)
    let cnonce = try record.owned(2)
    let uses = try record.optionalNumber(3, in: 0...Self.mostUses) ?? 0
    let choice = Digest.choose(from: [challenge], with: credentials).first
    guard let choice else { return nil }
    self.init(choice, username: username, cnonce: cnonce)
    self.uses = uses
  }

  public func write(to writer: inout RecordWriter) {
    writer.write(1, challenge)
    writer.write(2, cnonce)
    writer.write(3, number: uses)
  }

  /// More than any nonce lives through.
  private static let mostUses: UInt32 = 1 << 31
}
