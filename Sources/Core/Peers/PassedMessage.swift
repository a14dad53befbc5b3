public import Primitives

/// A SIP request that came to this node and belongs to a call whose home is the peer.
public struct PassedMessage: Sendable, Equatable, RecordCodable, Discreet {
  /// As it came.
  public var message: Bytes
  /// The record of the flow that it came by.
  public var flow: Bytes

  public init(message: Bytes, flow: Bytes) {
    self.message = message
    self.flow = flow
  }

  public init(_ record: Record) throws(RecordError) {
    message = Array(try record.bytes(1))
    flow = Array(try record.bytes(2))
  }

  public func write(to writer: inout RecordWriter) {
    writer.write(1, message)
    writer.write(2, flow)
  }
}

/// What goes back the way that the message came.
public struct PassedAnswer: RecordCodable, Discreet {
  /// nil: nothing, as for an ACK.
  public let response: Bytes?

  public init(_ response: Bytes?) { self.response = response }

  public init(_ record: Record) throws(RecordError) { response = try record.optionalBytes(1).map { Array($0) } }

  public func write(to writer: inout RecordWriter) { writer.write(1, response) }
}
