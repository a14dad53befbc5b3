public import Primitives
public import Store

/// A SIP request that came to this node and belongs to a call whose home is the peer.
public struct PassedMessage: Sendable, Equatable, RecordCodable, Discreet {
  /// As it came.
  public var message: Bytes
  /// The record of the flow that it came by.
  public var flow: Bytes
  /// Who the store says has the call: another life of the same node knows nothing of it. nil: a peer that does not say so.
  public var home: Holder?

  public init(message: Bytes, flow: Bytes, home: Holder? = nil) {
    self.message = message
    self.flow = flow
    self.home = home
  }

  public init(_ record: Record) throws(RecordError) {
    message = Array(try record.bytes(1))
    flow = Array(try record.bytes(2))
    home = try record.optional(3)
  }

  public func write(to writer: inout RecordWriter) {
    writer.write(1, message)
    writer.write(2, flow)
    writer.write(3, home)
  }
}

/// What goes back the way that the message came.
public struct PassedAnswer: RecordCodable, Discreet {
  /// nil: nothing, as for an ACK; or this node cannot say now.
  public let response: Bytes?

  public init(_ response: Bytes?) { self.response = response }

  public init(_ record: Record) throws(RecordError) { response = try record.optionalBytes(1).map { Array($0) } }

  public func write(to writer: inout RecordWriter) { writer.write(1, response) }
}
