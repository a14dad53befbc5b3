import PhoneContract
import Primitives
import Store

/// What became of the calls of an account's lines, as the next home needs it: a small record in the place of a call that is over.
struct LineMemory: Sendable, Equatable {
  enum Fate: UInt8, Sendable, Equatable {
    /// The device had fetched the call, and it ended before the answer.
    case missed = 1
    /// It was answered.
    case ended
  }

  /// More than an account's devices have.
  static let most = 32

  var fates: [DeviceLine: Fate] = [:]
  var until = Instant.zero
}

/// Its numbers are none of `Call`'s: each record is read as what it is and as nothing else.
extension LineMemory: RecordCodable {
  private struct Part: RecordCodable {
    let line: DeviceLine
    let fate: Fate

    init(_ line: DeviceLine, _ fate: Fate) { (self.line, self.fate) = (line, fate) }

    init(_ record: Record) throws(RecordError) {
      self.init(try record.value(1), try record.choice(2))
    }

    func write(to writer: inout RecordWriter) {
      writer.write(1, line)
      writer.write(2, choice: fate)
    }
  }

  init(_ record: Record) throws(RecordError) {
    until = try record.instant(32)
    for part in try record.list(33, of: Part.self).prefix(Self.most) { fates[part.line] = part.fate }
  }

  func write(to writer: inout RecordWriter) {
    writer.write(32, until)
    writer.write(33, list: fates.sorted { $0.key < $1.key }.map { Part($0.key, $0.value) })
  }
}

extension DeviceLine: Comparable {
  static func < (left: DeviceLine, right: DeviceLine) -> Bool {
    (left.device, left.line.rawValue) < (right.device, right.line.rawValue)
  }
}
