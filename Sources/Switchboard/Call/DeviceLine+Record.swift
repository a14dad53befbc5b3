import PhoneContract
import Primitives
import Store

extension DeviceLine: RecordCodable {
  init(_ record: Record) throws(RecordError) {
    self.init(device: try record.device(1), line: try record.line(2))
  }

  func write(to writer: inout RecordWriter) {
    writer.write(1, device.text)
    writer.write(2, number: line.rawValue)
  }
}

extension Record {
  func device(_ field: Int) throws(RecordError) -> DeviceID {
    guard let device = DeviceID(try text(field)) else { throw .wrongType(field: field) }
    return device
  }

  func devices(_ field: Int) throws(RecordError) -> [DeviceID] {
    var devices: [DeviceID] = []
    for bytes in try list(field) {
      guard let device = DeviceID(bytes.text) else { throw .wrongType(field: field) }
      devices.append(device)
    }
    return devices
  }

  func optionalLine(_ field: Int) throws(RecordError) -> Line? {
    guard let number = try optionalNumber(field, in: 0...Int.max) else { return nil }
    guard let line = Line(rawValue: number) else { throw .unknownValue(field: field) }
    return line
  }

  func line(_ field: Int) throws(RecordError) -> Line {
    guard let line = try optionalLine(field) else { throw .missing(field: field) }
    return line
  }
}
