import Primitives
import SIP

/// Who calls.
public struct ProviderCaller: Sendable, Hashable {
  public var name: String?
  /// nil: he does not want to be known.
  public var number: String?

  public init(name: String?, number: String?) {
    self.name = name
    self.number = number
  }

  public static let anonymous = ProviderCaller(name: nil, number: nil)
}

extension ProviderCaller {
  /// RFC 3323 §4.1.1.3 for one who stays unknown.
  func address(in domain: String) -> Bytes {
    guard let number else { return Array("\"Anonymous\" <sip:anonymous@anonymous.invalid>".utf8) }
    var address = Bytes()
    if let name {
      address.append(UInt8(ascii: "\""))
      for byte in name.utf8 {
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { address.append(UInt8(ascii: "\\")) }
        address.append(byte)
      }
      address.append("\" ")
    }
    address.append(text: "<sip:\(number)@\(domain)>")
    return address
  }

  func write(to builder: inout MessageBuilder, domain: String) {
    if number == nil { builder.append(.privacy, "id") } else { builder.append(.pAssertedIdentity, address(in: domain)) }
  }
}
