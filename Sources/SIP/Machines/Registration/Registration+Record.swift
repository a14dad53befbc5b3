public import Primitives

/// What the next owner of the account needs. Not in it: the credentials, which are the account's; those of a trial, which the phone
/// sends again; the random state. A try under way is done anew: its deadline has come when the record is read.
extension Registration: RecordWritable {
  private enum Stage: UInt8 {
    case new = 1
    case resting, removed
  }

  /// - Parameters:
  ///   - credentials: the account's.
  ///   - random: another one than that of any node before.
  public init(record bytes: some Collection<UInt8>, credentials: [DigestCredential], random: SeededRandom) throws(RecordError) {
    let record = try Record(Slice(bytes))
    settings = try record.value(1)
    callID = try record.owned(2)
    fromTag = try record.owned(3)
    self.credentials = credentials
    self.random = random
    options = try record.ownedList(14)
    cseq = try record.optionalNumber(4, in: 0...CSeq.largest) ?? 0
    status = try record.value(5)
    binding = try record.optional(6)
    phase = try Self.phase(record)
    for session in try record.list(9) {
      let read = try DigestSession(Record(session), username: settings.username, credentials: credentials)
      if let read { sessions.append(read) }
    }
    isRemovalWanted = try record.flag(10)
    mayBeBound = try record.flag(11)
    isTLSOnly = try record.flag(12)
    minimumExpires = try record.optionalNumber(13, in: 0...RegistrationTimes.longestMinExpires) ?? 0
    refusals = try record.optionalNumber(15, in: 0...Self.mostFailures) ?? 0
    outages = try record.optionalNumber(16, in: 0...Self.mostFailures) ?? 0
    formerContacts = try record.ownedList(17)
    if phase == .removed { self.credentials = [] }
  }

  private static func phase(_ record: Record) throws(RecordError) -> Phase {
    switch try record.optionalChoice(7, as: Stage.self) {
    case .new, nil: .new
    case .resting: .resting(until: try record.optionalInstant(8) ?? .zero)
    case .removed: .removed
    }
  }

  public func write(to writer: inout RecordWriter) {
    writer.write(1, settings)
    writer.write(2, callID)
    writer.write(3, fromTag)
    writer.write(4, number: cseq)
    writer.write(5, status)
    writer.write(6, binding)
    writer.write(7, choice: lasting.stage)
    writer.write(8, lasting.until)
    writer.write(9, list: lasting.sessions)
    writer.write(10, flag: isRemovalWanted)
    writer.write(11, flag: mayBeBound)
    writer.write(12, flag: isTLSOnly)
    writer.write(13, number: minimumExpires)
    writer.write(14, list: options)
    writer.write(15, number: min(refusals, Self.mostFailures))
    writer.write(16, number: min(outages, Self.mostFailures))
    writer.write(17, list: formerContacts)
  }

  /// More than this change no pause.
  private static let mostFailures = 1 << 20

  /// What is left of a phase when its try is dropped.
  private var lasting: (stage: Stage, until: Instant?, sessions: [DigestSession]) {
    switch phase {
    case .new: (.new, nil, sessions)
    case .resting(let until): (.resting, until, sessions)
    case .resolving(let attempt, _), .trying(let attempt, _, _): (.resting, attempt.resumeAfterLoss, usedSessions(attempt))
    case .removed: (.removed, nil, sessions)
    }
  }

  /// With the counts that the try has used up, unless they are another server's or belong to other credentials.
  private func usedSessions(_ attempt: Attempt) -> [DigestSession] {
    attempt.purpose.isTrial || attempt.isRedirected ? sessions : attempt.sessions
  }
}

extension Registration.Attempt {
  /// At once, but for a trial: nobody waits for it any more.
  fileprivate var resumeAfterLoss: Instant { purpose.isTrial ? resumeAt ?? .zero : .zero }
}
