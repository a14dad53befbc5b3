import HTTP
import Primitives

/// What is remembered under an idempotency key: the answer as it went out.
struct RememberedAnswer: RecordCodable {
  let response: HTTPResponse

  init(_ response: HTTPResponse) { self.response = response }

  init(_ record: Record) throws(RecordError) {
    var fields = HTTPFields()
    if let type = try record.optionalText(2) { fields.append("content-type", type) }
    response = HTTPResponse(status: Int(try record.number(1)), fields: fields, body: Array(try record.optionalBytes(3) ?? []))
  }

  func write(to writer: inout RecordWriter) {
    writer.write(1, UInt64(response.status))
    if let type = response.fields["content-type"] { writer.write(2, type) }
    if !response.body.isEmpty { writer.write(3, response.body) }
  }
}
