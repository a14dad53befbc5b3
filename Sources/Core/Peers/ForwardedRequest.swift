public import HTTP
public import Primitives
public import Store

/// A phone's request on its way from the node that it came to, which has checked its signature, to the one that can answer it.
public struct ForwardedRequest: Sendable, Equatable, RecordCodable, Discreet {
  public var account: AccountID
  public var device: DeviceID
  public var method: String
  public var path: String
  public var query: String
  public var body: Bytes
  /// For how long it has been on its way in the cluster: clocks of nodes differ.
  public var age: Duration
  /// Set where it leaves a node.
  public var postmark: Postmark?

  /// In milliseconds.
  private static let longestAge: Int64 = 3_600_000

  public init(
    account: AccountID, device: DeviceID, method: String, path: String, query: String, body: Bytes, age: Duration = .zero,
    postmark: Postmark? = nil
  ) {
    self.account = account
    self.device = device
    self.method = method
    self.path = path
    self.query = query
    self.body = body
    self.age = age
    self.postmark = postmark
  }

  public init(_ record: Record) throws(RecordError) {
    guard let device = DeviceID(try record.text(3)) else { throw .unknownValue(field: 3) }
    self.init(
      account: try AccountID(recorded: record.bytes(2), field: 2), device: device, method: try record.text(4),
      path: try record.text(5), query: try record.optionalText(6) ?? "", body: Array(try record.optionalBytes(7) ?? []),
      age: .milliseconds(try record.optionalNumber(8, in: 0...Self.longestAge) ?? 0), postmark: try record.optional(9))
  }

  public func write(to writer: inout RecordWriter) {
    writer.write(2, account.bytes)
    writer.write(3, device.text)
    writer.write(4, method)
    writer.write(5, path)
    if !query.isEmpty { writer.write(6, query) }
    if !body.isEmpty { writer.write(7, body) }
    if age > .zero { writer.write(8, UInt64(age.wholeMilliseconds)) }
    writer.write(9, postmark)
  }
}

/// The phone's answer on its way back. In a record of its own: what the peer says about itself stands in the HTTP around it.
public struct ForwardedResponse: RecordCodable, Discreet {
  public let response: HTTPResponse

  public init(_ response: HTTPResponse) { self.response = response }

  public init(_ record: Record) throws(RecordError) {
    guard let status = Int(exactly: try record.number(1)), (200...599).contains(status) else { throw .unknownValue(field: 1) }
    var fields = HTTPFields()
    for field in try record.list(2, of: Field.self) { fields.append(field.name, field.value) }
    response = HTTPResponse(status: status, fields: fields, body: Array(try record.optionalBytes(3) ?? []))
  }

  public func write(to writer: inout RecordWriter) {
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
