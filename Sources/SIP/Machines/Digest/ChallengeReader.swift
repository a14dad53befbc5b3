import Primitives

/// Splits `Digest a=b, c="d", Digest e=f` into challenges. Reads more than the grammar allows: quotes where none belong or none
/// where some do, commas that are missing or doubled, in any order, as registrars send them.
struct ChallengeReader {
  struct Challenge {
    var scheme: Bytes
    var parameters: [(name: Bytes, value: Bytes)] = []

    func parameter(_ name: StaticString) -> Bytes? {
      parameters.first { $0.name.equalsIgnoringCase(name) }?.value
    }
  }

  private var rest: Slice
  private var challenges: [Challenge] = []

  static func read(_ value: Slice) -> [Challenge] {
    var reader = ChallengeReader(rest: value)
    while reader.readOne() {}
    return reader.challenges
  }

  /// Parameters alone, without a scheme before them: Authentication-Info.
  static func parameters(of value: Slice) -> Challenge {
    var reader = ChallengeReader(rest: value, challenges: [Challenge(scheme: [])])
    while reader.readOne() {}
    return reader.challenges[0]
  }

  /// One scheme or one parameter.
  private mutating func readOne() -> Bool {
    skip { $0 == UInt8(ascii: ",") || Self.isSpace($0) }
    guard !rest.isEmpty else { return false }
    let name = take { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ",") && !Self.isSpace($0) }
    skip(Self.isSpace)
    guard rest.first == UInt8(ascii: "=") else {
      challenges.append(Challenge(scheme: name))
      return challenges.count <= DigestChallenge.limit
    }
    rest.removeFirst()
    skip(Self.isSpace)
    let value = rest.first == UInt8(ascii: "\"") ? takeQuoted() : take { $0 != UInt8(ascii: ",") && !Self.isSpace($0) }
    if !challenges.isEmpty { challenges[challenges.count - 1].parameters.append((name, value)) }
    return true
  }

  private mutating func takeQuoted() -> Bytes {
    rest.removeFirst()
    var value = Bytes()
    while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
      if byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() { value.append(escaped) } else { value.append(byte) }
    }
    return value
  }

  private mutating func take(while belongs: (UInt8) -> Bool) -> Bytes {
    let taken = rest.prefix(while: belongs)
    rest = rest[taken.endIndex...]
    return Array(taken)
  }

  private mutating func skip(_ belongs: (UInt8) -> Bool) {
    rest = rest.drop(while: belongs)
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 || byte == 13 || byte == 10 }
}
