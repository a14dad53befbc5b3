import PhoneContract
import Primitives
import SIP

extension Talk: RecordCodable {
  private enum Stage: UInt8 {
    case unconfirmed = 1
    case confirmed, ended
  }

  init(_ record: Record) throws(RecordError) {
    dialog = try record.value(1)
    line = try record.value(2)
    heard = try record.optionalOwned(3)
    said = try record.owned(4)
    phase = try Self.phase(record)
    feed = try record.value(8)
    timer = try record.value(9)
    reinvites = try record.list(10)
    offersRefresh = try record.flag(11)
    awaitsByeAnswer = try record.flag(12)
    hasAnsweredChallenge = try record.flag(13)
    isRead = try record.flag(14)
  }

  private static func phase(_ record: Record) throws(RecordError) -> Phase {
    switch try record.choice(5, as: Stage.self) {
    case .unconfirmed: .unconfirmed(requests: [], ending: try record.optionalWord(6))
    case .confirmed: .confirmed
    case .ended: .ended(until: try record.instant(7))
    }
  }

  func write(to writer: inout RecordWriter) {
    writer.write(1, dialog)
    writer.write(2, line)
    writer.write(3, heard)
    writer.write(4, said)
    write(phase: phase, to: &writer)
    writer.write(8, feed)
    writer.write(9, timer)
    writer.write(10, list: reinvites)
    writer.write(11, flag: offersRefresh)
    writer.write(12, flag: awaitsByeAnswer)
    writer.write(13, flag: hasAnsweredChallenge)
    writer.write(14, flag: isRead)
  }

  private func write(phase: Phase, to writer: inout RecordWriter) {
    switch phase {
    case .unconfirmed(_, let ending):
      writer.write(5, choice: Stage.unconfirmed)
      writer.write(6, word: ending)
    case .confirmed: writer.write(5, choice: Stage.confirmed)
    case .ended(let until):
      writer.write(5, choice: Stage.ended)
      writer.write(7, until)
    }
  }
}

extension Talk.Reinvite: RecordCodable {
  init(_ record: Record) throws(RecordError) {
    self.init(transaction: try record.value(1), number: try record.number(2, in: 0...UInt32.max))
  }

  func write(to writer: inout RecordWriter) {
    writer.write(1, transaction)
    writer.write(2, number: number)
  }
}
