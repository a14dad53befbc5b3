public import HTTP
public import PhoneContract
import Primitives
public import Switchboard

extension PhoneReply {
  /// As HTTP (phone contract).
  public var response: HTTPResponse {
    switch self {
    case .problem(let problem): problem.response
    case .done: HTTPResponse(status: 204)
    case .kept: .json(status: 202, Array("{}".utf8))
    case .fetched(let body): .json(body.json)
    case .answered(let body): .json(body.json)
    case .status(let body): .json(body.json)
    case .state(let body): .json(body.json)
    case .probed(let body): .json(body.json)
    }
  }
}

extension HTTPResponse {
  fileprivate static func json(status: Int = 200, _ body: Bytes) -> HTTPResponse {
    HTTPResponse(status: status, fields: ["content-type": "application/json"], body: body)
  }
}

extension Problem {
  /// As HTTP (RFC 9457).
  public var response: HTTPResponse {
    var fields: HTTPFields = ["content-type": Problem.contentType]
    for (name, value) in self.fields { fields.append(name, value) }
    return HTTPResponse(status: status, fields: fields, body: json)
  }
}
