public import Primitives

extension Dialog: RecordCodable {
  public init(_ record: Record) throws(RecordError) {
    id = ID(callID: try record.owned(1), localTag: try record.owned(2), remoteTag: try record.owned(3))
    local = try record.owned(4)
    remote = try record.owned(5)
    routeSet = try record.ownedList(6)
    target = try record.owned(7)
    localCSeq = try record.optionalNumber(8, in: 0...CSeq.largest) ?? 0
    remoteCSeq = try record.optionalNumber(9, in: 0...CSeq.largest)
  }

  public func write(to writer: inout RecordWriter) {
    writer.write(1, id.callID)
    writer.write(2, id.localTag)
    writer.write(3, id.remoteTag)
    writer.write(4, local)
    writer.write(5, remote)
    writer.write(6, list: routeSet)
    writer.write(7, target)
    writer.write(8, number: localCSeq)
    writer.write(9, number: remoteCSeq)
  }
}

extension CSeq {
  /// RFC 3261 §8.1.1.5.
  static let largest: UInt32 = 1 << 31 - 1
}
