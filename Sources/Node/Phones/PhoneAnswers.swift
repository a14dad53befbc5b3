import HTTP
import Network
import PhoneContract
import Primitives
import Store
import Switchboard

/// Where the answer to a request goes, once.
typealias HTTPAnswer = @LoopActor (HTTPResponse) -> Void

extension PhoneReply {
  var response: HTTPResponse {
    switch self {
    case .problem(let problem): problem.response
    case .done: HTTPResponse(status: 204)
    case .kept: HTTPResponse(status: 202, fields: ["content-type": "application/json"], body: Array("{}".utf8))
    case .fetched(let body): .json(body.json)
    case .answered(let body): .json(body.json)
    case .status(let body): .json(body.json)
    case .state(let body): .json(body.json)
    case .probed(let body): .json(body.json)
    }
  }
}

extension HTTPResponse {
  static func json(_ body: Bytes) -> HTTPResponse {
    HTTPResponse(status: 200, fields: ["content-type": "application/json"], body: body)
  }
}

extension Problem {
  var response: HTTPResponse {
    var fields: HTTPFields = ["content-type": Problem.contentType]
    for (name, value) in self.fields { fields.append(name, value) }
    return HTTPResponse(status: status, fields: fields, body: json)
  }
}

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
