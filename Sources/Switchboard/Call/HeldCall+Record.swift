import PhoneContract
import Primitives
import Store

/// Requests that wait are not in it: they are those of one process. Their devices ask again.
extension HeldCall: RecordCodable {
  /// What there is of one device.
  private struct Part: RecordCodable {
    let device: DeviceID
    var ring: Ring?
    var line: Line?
    var kept: Bytes?

    init(_ held: HeldCall, _ device: DeviceID) {
      self.device = device
      (ring, line, kept) = (held.rings[device], held.fetched[device], held.kept[device])
    }

    init(_ record: Record) throws(RecordError) {
      device = try record.device(1)
      ring = try record.optionalChoice(2)
      line = try record.optionalLine(3)
      kept = try record.optionalOwned(4)
    }

    func write(to writer: inout RecordWriter) {
      writer.write(1, device.text)
      writer.write(2, choice: ring)
      writer.write(3, number: line?.rawValue)
      writer.write(4, kept)
    }
  }

  init(_ record: Record) throws(RecordError) {
    protection = try record.instant(1)
    nextRinging = try record.instant(2)
    rings = [:]
    for part in try record.list(3, of: Part.self) {
      rings[part.device] = part.ring
      fetched[part.device] = part.line
      kept[part.device] = part.kept
    }
    claim = try record.optional(4)
  }

  func write(to writer: inout RecordWriter) {
    writer.write(1, protection)
    writer.write(2, nextRinging)
    let devices = Set(rings.keys).union(fetched.keys).union(kept.keys)
    writer.write(3, list: devices.sorted().map { Part(self, $0) })
    writer.write(4, claim)
  }
}

extension HeldCall.Claim: RecordCodable {
  init(_ record: Record) throws(RecordError) {
    self.init(device: try record.device(1), until: try record.instant(2))
  }

  func write(to writer: inout RecordWriter) {
    writer.write(1, device.text)
    writer.write(2, until)
  }
}

extension Aftermath: RecordCodable {
  init(_ record: Record) throws(RecordError) {
    self.init(why: try record.word(1), underWay: Set(try record.devices(2)))
  }

  func write(to writer: inout RecordWriter) {
    writer.write(1, word: why)
    for device in underWay.sorted() { writer.write(2, device.text) }
  }
}
