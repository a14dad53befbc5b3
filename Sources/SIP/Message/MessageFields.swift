public import Primitives

/// What has a message: requests, responses and the message itself read their header fields by the same words. Each value is read
/// when asked for; a value that is missing where it must be, or malformed, throws the 400 to answer.
public protocol MessageFields: Sendable {
  var message: Message { get }
}

extension Message: MessageFields {
  public var message: Message { self }
}
extension Request: MessageFields {}
extension Response: MessageFields {}

extension Message {
  public func has(_ name: HeaderName) -> Bool { fields.contains { $0.name == name } }

  /// The value of a field that must be there exactly once.
  func single(_ name: HeaderName) throws(SIPError) -> Slice {
    guard let value = try optional(name) else { throw .bad(.missing(name)) }
    return value
  }

  /// The value of a field that may be there once.
  func optional(_ name: HeaderName) throws(SIPError) -> Slice? {
    guard let first = fields.firstIndex(where: { $0.name == name }) else { return nil }
    guard !fields[(first + 1)...].contains(where: { $0.name == name }) else { throw .bad(.repeated(name)) }
    return value(name)
  }

  /// All values of a field whose lines hold comma separated lists, in order.
  public func values(_ name: HeaderName) -> [Slice] {
    lines(name).flatMap(\.listValues)
  }

  /// The same without empty values: for fields whose list may be empty.
  func presentValues(_ name: HeaderName) -> [Slice] { values(name).filter { !$0.isEmpty } }
}

/// What makes a transaction and a dialog.
extension MessageFields {
  public var callID: Slice {
    get throws(SIPError) {
      let id = try message.single(.callID)
      guard !id.isEmpty, !id.contains(where: \.isSpace) else { throw .bad(.malformed(.callID)) }
      return id
    }
  }

  public var cseq: CSeq { get throws(SIPError) { try CSeq(message.single(.cSeq)) } }
  public var from: NameAddress { get throws(SIPError) { try only(.from) } }
  public var to: NameAddress { get throws(SIPError) { try only(.to) } }
  public var fromTag: Slice? { get throws(SIPError) { try from.tag } }
  public var toTag: Slice? { get throws(SIPError) { try to.tag } }

  /// Top first; never empty.
  public var vias: [Via] {
    get throws(SIPError) {
      var vias: [Via] = []
      for value in message.values(.via) { vias.append(try Via(value)) }
      guard !vias.isEmpty else { throw .bad(.missing(.via)) }
      return vias
    }
  }

  /// Reads no other Via.
  public var topVia: Via {
    get throws(SIPError) {
      guard let line = message.value(.via), let value = line.listValues.first else { throw .bad(.missing(.via)) }
      return try Via(value)
    }
  }

  /// 0 to 255 (RFC 3261 §20.22); nil where the field is missing, as RFC 2543 allowed.
  public var maxForwards: Int? {
    get throws(SIPError) {
      guard let value = try message.optional(.maxForwards) else { return nil }
      guard let hops = value.decimal(as: Int.self), hops <= 255 else { throw .bad(.malformed(.maxForwards)) }
      return hops
    }
  }

  /// The address of a field that holds exactly one.
  private func only(_ name: HeaderName) throws(SIPError) -> NameAddress {
    let values = try message.single(name).listValues
    guard values.count == 1, let address = try? NameAddress(values[0]) else { throw .bad(.malformed(name)) }
    return address
  }
}

/// Lists of addresses, in order. Empty where the field is missing.
extension MessageFields {
  /// `*` (RFC 3261 §10.2.2) is no address: see `hasWildcardContact`.
  public var contacts: [NameAddress] {
    get throws(SIPError) { try hasWildcardContact ? [] : addresses(.contact) }
  }
  public var hasWildcardContact: Bool { message.value(.contact)?.equals("*") ?? false }
  public var recordRoutes: [NameAddress] { get throws(SIPError) { try addresses(.recordRoute) } }
  public var routes: [NameAddress] { get throws(SIPError) { try addresses(.route) } }
  public var serviceRoutes: [NameAddress] { get throws(SIPError) { try addresses(.serviceRoute) } }
  public var assertedIdentities: [NameAddress] { get throws(SIPError) { try addresses(.pAssertedIdentity) } }
  public var associatedURIs: [NameAddress] { get throws(SIPError) { try addresses(.pAssociatedURI) } }

  public func addresses(_ name: HeaderName) throws(SIPError) -> [NameAddress] {
    var addresses: [NameAddress] = []
    for value in message.values(name) {
      guard let address = try? NameAddress(value) else { throw .bad(.malformed(name)) }
      addresses.append(address)
    }
    return addresses
  }
}

/// Lists of tokens, in order. Empty where the field is missing; what is no token is left to the one who compares.
extension MessageFields {
  public var require: [Slice] { message.presentValues(.require) }
  public var supported: [Slice] { message.presentValues(.supported) }
  public var unsupported: [Slice] { message.presentValues(.unsupported) }
  public var allow: [Method] { message.presentValues(.allow).map { Method($0) } }
  /// RFC 3323 §4.2: separated by semicolons; commas are seen too.
  public var privacy: [Slice] {
    message.lines(.privacy).flatMap { $0.split { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: ",") } }.map(\.trimmed)
  }

  public func supports(_ option: StaticString) -> Bool { supported.contains { $0.equalsIgnoringCase(option) } }
}
