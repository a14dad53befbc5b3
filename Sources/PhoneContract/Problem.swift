import FoundationEssentials
public import Primitives

/// An error of the contract as RFC 9457 has it. It holds no number, name, token or SDP.
public struct Problem: Error, Hashable, Sendable {
  public let name: Name
  /// RFC 6901: the member that is malformed.
  public var pointer: String?
  /// The provider's answer, with `refused`.
  public var sipStatus: Int?
  /// Seconds.
  public var retryAfter: Int?
  /// What the path knows, with `method`.
  public var allowedMethods: [String] = []

  public init(_ name: Name) { self.name = name }

  public static func malformed(at pointer: String) -> Problem {
    var problem = Problem(.malformed)
    problem.pointer = pointer
    return problem
  }

  public static func refused(sipStatus: Int) -> Problem {
    var problem = Problem(.refused)
    problem.sipStatus = sipStatus
    return problem
  }

  public static func unavailable(retryAfter seconds: Int) -> Problem {
    var problem = Problem(.unavailable)
    problem.retryAfter = seconds
    return problem
  }

  public static func tooManyRequests(retryAfter seconds: Int) -> Problem {
    var problem = Problem(.tooManyRequests)
    problem.retryAfter = seconds
    return problem
  }

  public static func method(allowed: [String]) -> Problem {
    var problem = Problem(.method)
    problem.allowedMethods = allowed
    return problem
  }

  public var status: Int { name.status }
  public var title: String { name.title }
  public var type: String { Self.typePrefix + name.rawValue }

  static let typePrefix = "urn:ringhold:problem:"
}

extension Problem {
  public static let contentType = "application/problem+json"

  /// The body. Every text in it is ours and needs no escape.
  public var json: Bytes {
    var text = #"{"type":"\#(type)","status":\#(status),"title":"\#(title)""#
    if let pointer { text += #","pointer":"\#(pointer)""# }
    if let sipStatus { text += #","sip_status":\#(sipStatus)"# }
    return Array((text + "}").utf8)
  }

  /// The header fields that go with it, beside those of the body.
  public var fields: [(name: String, value: String)] {
    var fields: [(name: String, value: String)] = []
    if status == 401 { fields.append(("www-authenticate", "Signature")) }
    if let retryAfter { fields.append(("retry-after", String(retryAfter))) }
    if !allowedMethods.isEmpty { fields.append(("allow", allowedMethods.joined(separator: ", "))) }
    return fields
  }

  /// Reads a problem that a server sent; nil where it is none that this contract names.
  public init?(json bytes: some Collection<UInt8>) {
    guard let read = try? JSONDecoder().decode(Read.self, from: Data(bytes)), read.type.hasPrefix(Self.typePrefix),
      let name = Name(rawValue: String(read.type.dropFirst(Self.typePrefix.count)))
    else { return nil }
    self.init(name)
    pointer = read.pointer
    sipStatus = read.sipStatus
  }

  private struct Read: Decodable {
    let type: String
    let pointer: String?
    let sipStatus: Int?

    enum CodingKeys: String, CodingKey {
      case type, pointer
      case sipStatus = "sip_status"
    }
  }
}
