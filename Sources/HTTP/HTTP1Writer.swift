import Primitives

/// Writes heads and chunks (RFC 9112). Framing fields are its own: what the caller put there is left out.
enum HTTP1Writer {
  enum Length: Equatable {
    case none
    case length(Int)
    case chunked
  }

  static func request(_ request: HTTPRequest, into out: inout Bytes) {
    out.append(text: request.method)
    out.append(" ")
    out.append(text: request.path)
    out.append(" HTTP/1.1\r\nhost: ")
    out.append(text: request.authority)
    out.append("\r\n")
    let hasLength = !request.body.isEmpty || ["POST", "PUT", "PATCH"].contains(request.method)
    fields(request.fields, hasLength ? .length(request.body.count) : .none, into: &out)
    out += request.body
  }

  static func head(_ response: HTTPResponse, _ length: Length, closing: Bool, keepAlive: Bool, into out: inout Bytes) {
    out.append("HTTP/1.1 ")
    out.append(decimal: response.status)
    out.append(" ")
    out.append(text: reason(response.status))
    out.append("\r\n")
    if closing { out.append("connection: close\r\n") } else if keepAlive { out.append("connection: keep-alive\r\n") }
    fields(response.fields, length, into: &out)
  }

  /// An empty chunk would be the last one, so nothing is written for no bytes.
  static func chunk(_ data: Bytes, into out: inout Bytes) {
    guard !data.isEmpty else { return }
    out.append(text: String(data.count, radix: 16))
    out.append("\r\n")
    out += data
    out.append("\r\n")
  }

  private static func fields(_ fields: HTTPFields, _ length: Length, into out: inout Bytes) {
    for field in fields where !ours.contains(field.name) {
      out.append(text: field.name)
      out.append(": ")
      out.append(text: field.value)
      out.append("\r\n")
    }
    switch length {
    case .none: break
    case .length(let count):
      out.append("content-length: ")
      out.append(decimal: count)
      out.append("\r\n")
    case .chunked: out.append("transfer-encoding: chunked\r\n")
    }
    out.append("\r\n")
  }

  /// Fields that say how the message is carried (RFC 9110 §7.6.1): they belong to the connection.
  static let ours: Set<String> = [
    "connection", "content-length", "host", "keep-alive", "proxy-connection", "te", "transfer-encoding", "upgrade",
  ]

  static func reason(_ status: Int) -> String {
    switch status {
    case 100: "Continue"
    case 200: "OK"
    case 201: "Created"
    case 202: "Accepted"
    case 204: "No Content"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 408: "Request Timeout"
    case 409: "Conflict"
    case 410: "Gone"
    case 413: "Content Too Large"
    case 414: "URI Too Long"
    case 417: "Expectation Failed"
    case 422: "Unprocessable Content"
    case 429: "Too Many Requests"
    case 431: "Request Header Fields Too Large"
    case 500: "Internal Server Error"
    case 501: "Not Implemented"
    case 503: "Service Unavailable"
    case 504: "Gateway Timeout"
    case 505: "HTTP Version Not Supported"
    default: ""
    }
  }
}
