import HTTP
import Primitives
import Store

/// A phone's request on its way from the node that it came to, which has checked its signature, to the one that can answer it.
struct ForwardedRequest: Sendable, Equatable, RecordCodable, Discreet {
  /// The number that the node where it came in knows it by.
  var id: UInt64
  var account: AccountID
  var device: DeviceID
  var method: String
  var path: String
  var query: String
  var body: Bytes

  init(id: UInt64, account: AccountID, device: DeviceID, method: String, path: String, query: String, body: Bytes) {
    self.id = id
    self.account = account
    self.device = device
    self.method = method
    self.path = path
    self.query = query
    self.body = body
  }

  init(_ record: Record) throws(RecordError) {
    guard let device = DeviceID(try record.text(3)) else { throw .unknownValue(field: 3) }
    self.init(
      id: try record.number(1), account: try AccountID(recorded: record.bytes(2), field: 2), device: device, method: try record.text(4),
      path: try record.text(5), query: try record.optionalText(6) ?? "", body: Array(try record.optionalBytes(7) ?? []))
  }

  func write(to writer: inout RecordWriter) {
    writer.write(1, id)
    writer.write(2, account.bytes)
    writer.write(3, device.text)
    writer.write(4, method)
    writer.write(5, path)
    if !query.isEmpty { writer.write(6, query) }
    if !body.isEmpty { writer.write(7, body) }
  }

  var shown: String { String(id) }
}

/// The phone's answer on its way back. In a record of its own: what the peer says about itself stands in the HTTP around it.
struct ForwardedResponse: RecordCodable, Discreet {
  let response: HTTPResponse

  init(_ response: HTTPResponse) { self.response = response }

  init(_ record: Record) throws(RecordError) {
    guard let status = Int(exactly: try record.number(1)), (200...599).contains(status) else { throw .unknownValue(field: 1) }
    var fields = HTTPFields()
    for field in try record.list(2, of: Field.self) { fields.append(field.name, field.value) }
    response = HTTPResponse(status: status, fields: fields, body: Array(try record.optionalBytes(3) ?? []))
  }

  func write(to writer: inout RecordWriter) {
    writer.write(1, UInt64(response.status))
    writer.write(2, list: response.fields.map { Field(name: $0.name, value: $0.value) })
    if !response.body.isEmpty { writer.write(3, response.body) }
  }

  private struct Field: RecordCodable {
    let name: String
    let value: String

    init(name: String, value: String) {
      self.name = name
      self.value = value
    }

    init(_ record: Record) throws(RecordError) {
      name = try record.text(1)
      value = try record.text(2)
    }

    func write(to writer: inout RecordWriter) {
      writer.write(1, name)
      writer.write(2, value)
    }
  }
}
