public import Primitives

/// RFC 9421: which parts of a message are signed, and how. Whether that is enough, and whether the signature is right, is for the caller.
public struct MessageSignature: Sendable, Equatable {
  public enum Flaw: Error, Sendable, Equatable {
    /// There is no signature under that label.
    case missing
    /// A field is no dictionary, or a member has the wrong shape.
    case malformed
    /// A component that is unknown or has parameters: we could not build the same base as the signer.
    case unsupportedComponent
    case duplicateComponent
    /// A covered field that the message does not have.
    case absentComponent
  }

  /// The covered components, in their order: names of fields and derived components.
  public let components: [String]
  public let parameters: StructuredField.Parameters
  /// Empty until it is made.
  public var signature: Bytes

  /// To make one.
  public init(covering components: [String], parameters: StructuredField.Parameters) {
    self.components = components
    self.parameters = parameters
    signature = []
  }

  /// §4.1, §4.2: the signature under `label`.
  public init(label: String, in fields: HTTPFields) throws(Flaw) {
    guard let inputs = fields["signature-input"], let signatures = fields["signature"] else { throw .missing }
    let input: StructuredField.Dictionary
    let values: StructuredField.Dictionary
    do {
      (input, values) = (try StructuredField.dictionary(inputs), try StructuredField.dictionary(signatures))
    } catch {
      throw .malformed
    }
    guard let covered = input[label], let value = values[label] else { throw .missing }
    guard case .innerList(let list) = covered, case .item(let item) = value, case .bytes(let signature) = item.value else {
      throw .malformed
    }
    components = try Self.names(of: list)
    parameters = list.parameters
    self.signature = signature
  }

  public var created: Int64? { integer("created") }
  public var expires: Int64? { integer("expires") }
  public var nonce: String? { string("nonce") }
  public var alg: String? { string("alg") }
  public var keyID: String? { string("keyid") }
  public var tag: String? { string("tag") }

  public func covers(_ component: String) -> Bool { components.contains(component) }

  /// Adds both fields to a message.
  public func write(label: String, to fields: inout HTTPFields) {
    fields.append("signature-input", label + "=" + signatureParameters)
    fields.append("signature", label + "=" + StructuredField.BareItem.bytes(signature).text)
  }

  /// §2.3: the value of `@signature-params`.
  var signatureParameters: String {
    StructuredField.InnerList(components.map { StructuredField.Item(.string($0)) }, parameters: parameters).text
  }

  private static func names(of list: StructuredField.InnerList) throws(Flaw) -> [String] {
    var names: [String] = []
    for item in list.items {
      guard case .string(let name) = item.value else { throw .malformed }
      guard item.parameters.all.isEmpty, name == name.asciiLowercased, !name.isEmpty else { throw .unsupportedComponent }
      guard !names.contains(name) else { throw .duplicateComponent }
      names.append(name)
    }
    return names
  }

  private func integer(_ name: String) -> Int64? {
    if case .integer(let number) = parameters[name] { number } else { nil }
  }

  private func string(_ name: String) -> String? {
    if case .string(let text) = parameters[name] { text } else { nil }
  }
}
