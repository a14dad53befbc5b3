public import Primitives

extension SessionTimer: RecordCodable {
  private enum Kind: UInt8 {
    case off = 1
    case peerRefreshes, weRefresh, refreshing
  }

  public init(_ record: Record) throws(RecordError) {
    let standard = Policy()
    let policy = Policy(
      minimum: try record.optionalNumber(1, in: 0...UInt32.max) ?? standard.minimum,
      wanted: try record.optionalNumber(2, in: 0...UInt32.max) ?? standard.wanted)
    self.init(policy: policy, allowsUpdate: try record.flag(3))
    minimum = try record.optionalNumber(4, in: 0...UInt32.max) ?? policy.minimum
    switch try record.optionalChoice(5, as: Kind.self) {
    case .off, nil: state = .off
    case .peerRefreshes: state = .peerRefreshes(try Session(record))
    case .weRefresh: state = .weRefresh(try Session(record), at: try record.instant(8))
    case .refreshing:
      state = .refreshing(try Session(record), method: Method(try record.bytes(9)), isRepeated: try record.flag(10))
    }
  }

  public func write(to writer: inout RecordWriter) {
    writer.write(1, number: policy.minimum)
    writer.write(2, number: policy.wanted)
    writer.write(3, flag: allowsUpdate)
    writer.write(4, number: minimum)
    switch state {
    case .off: writer.write(5, choice: Kind.off)
    case .peerRefreshes(let session):
      writer.write(5, choice: Kind.peerRefreshes)
      session.write(to: &writer)
    case .weRefresh(let session, let at):
      writer.write(5, choice: Kind.weRefresh)
      session.write(to: &writer)
      writer.write(8, at)
    case .refreshing(let session, let method, let isRepeated):
      writer.write(5, choice: Kind.refreshing)
      session.write(to: &writer)
      writer.write(9, method.bytes)
      writer.write(10, flag: isRepeated)
    }
  }
}

/// Its fields stand among the timer's.
extension SessionTimer.Session {
  fileprivate init(_ record: Record) throws(RecordError) {
    seconds = try record.number(6, in: 0...UInt32.max)
    endsAt = try record.instant(7)
  }

  fileprivate func write(to writer: inout RecordWriter) {
    writer.write(6, number: seconds)
    writer.write(7, endsAt)
  }
}
