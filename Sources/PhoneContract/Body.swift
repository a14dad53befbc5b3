import FoundationEssentials
public import Primitives

/// A body of the contract in JSON. Members that are not known are ignored, optional ones may be absent or null.
public protocol Body: Codable, Sendable, Equatable {}

extension Body {
  /// JSON in UTF-8.
  public var json: Bytes {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      return Array(try encoder.encode(self))
    } catch {
      // JSONEncoder refuses only floating-point numbers that JSON lacks, and no body has one.
      assertionFailure("a body that cannot be written")
      return []
    }
  }

  /// What is wrong comes as `malformed` with a pointer (RFC 6901) to the member; too many bytes as `too-large`.
  public init(json bytes: some Collection<UInt8>) throws(Problem) {
    guard bytes.count <= Contract.bodyLimit else { throw Problem(.tooLarge) }
    // JSONDecoder would also take UTF-16 and UTF-32, which every JSON text betrays by a zero byte.
    guard !bytes.contains(0) else { throw Problem.malformed(at: "") }
    do {
      self = try JSONDecoder().decode(Self.self, from: Data(bytes))
    } catch {
      throw Problem.malformed(at: pointer(to: error))
    }
  }
}

private func pointer(to error: any Error) -> String {
  guard let error = error as? DecodingError else { return "" }
  let path: [any CodingKey] =
    switch error {
    case .keyNotFound(let key, let context): context.codingPath + [key]
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context): context.codingPath
    @unknown default: []
    }
  // Only names of our own members and indices stand in the path, so nothing needs RFC 6901's escapes.
  return path.map { "/" + ($0.intValue.map { String($0) } ?? $0.stringValue) }.joined()
}

extension KeyedDecodingContainer {
  func text(_ key: Key, _ rule: TextRule) throws -> String {
    let text = try decode(String.self, forKey: key)
    guard rule.allows(text) else { throw wrong(key) }
    return text
  }

  func optionalText(_ key: Key, _ rule: TextRule) throws -> String? {
    try decodeIfPresent(String.self, forKey: key) == nil ? nil : text(key, rule)
  }

  /// JSONDecoder does not say where a fraction stood, so what it throws is not passed on.
  func number(_ key: Key, in range: ClosedRange<Int>) throws -> Int {
    guard let number = try? decode(Int.self, forKey: key), range.contains(number) else { throw wrong(key) }
    return number
  }

  func optionalNumber(_ key: Key, in range: ClosedRange<Int>) throws -> Int? {
    guard contains(key), try !decodeNil(forKey: key) else { return nil }
    return try number(key, in: range)
  }

  func wrong(_ key: Key) -> DecodingError {
    .dataCorruptedError(forKey: key, in: self, debugDescription: "not allowed here")
  }
}
