import PhoneContract
import Primitives

/// Without readers: they are requests of one process, and ask again.
extension StatusFeed: RecordCodable {
  init(_ record: Record) throws(RecordError) {
    self.init()
    lastSequence = try record.optionalNumber(1, in: 0...Self.highestSequence) ?? 0
    awaySince = try record.optionalInstant(2)
    events = try record.list(3, of: StoredEvent.self).map(\.event)
  }

  func write(to writer: inout RecordWriter) {
    writer.write(1, number: lastSequence)
    writer.write(2, awaySince)
    writer.write(3, list: events.map { StoredEvent(event: $0) })
  }

  /// More than any call has events.
  static let highestSequence = 1 << 31
}

private struct StoredEvent: RecordCodable {
  let event: Event

  init(event: Event) { self.event = event }

  init(_ record: Record) throws(RecordError) {
    let type = try record.text(2)
    let kind: Event.Kind =
      switch type {
      case "offer": .offer(id: try record.text(3), sdp: try record.optionalText(4))
      case "offer-withdrawn": .offerWithdrawn
      case "ended": .ended(try record.word(5))
      default: .other(type: type)
      }
    event = Event(seq: try record.number(1, in: 1...Int.max), kind: kind)
  }

  func write(to writer: inout RecordWriter) {
    writer.write(1, number: event.seq)
    writer.write(2, event.type)
    switch event.kind {
    case .offer(let id, let sdp):
      writer.write(3, id)
      writer.write(4, sdp)
    case .ended(let why): writer.write(5, word: why)
    case .offerWithdrawn, .other: break
    }
  }
}
