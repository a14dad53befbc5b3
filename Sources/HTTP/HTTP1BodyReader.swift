import Primitives

/// How the length of a body is told (RFC 9112 §6.3).
enum HTTP1Framing: Equatable {
  case length(Int)
  case chunked
  /// Responses only.
  case untilEnd

  /// A request that says its length twice, or in a way that two readers could take differently, is refused (§6.1, §11.2).
  static func ofRequest(_ fields: HTTPFields, isHTTP10: Bool) throws(HTTPError) -> HTTP1Framing {
    try declared(fields, isHTTP10: isHTTP10) ?? .length(0)
  }

  static func ofResponse(status: Int, toHead: Bool, _ fields: HTTPFields, isHTTP10: Bool) throws(HTTPError) -> HTTP1Framing {
    if toHead || HTTPResponse.hasNoBody(status) { return .length(0) }
    return try declared(fields, isHTTP10: isHTTP10) ?? .untilEnd
  }

  private static func declared(_ fields: HTTPFields, isHTTP10: Bool) throws(HTTPError) -> HTTP1Framing? {
    let codings = fields.values("transfer-encoding")
    let lengths = fields.values("content-length")
    guard codings.isEmpty || lengths.isEmpty, codings.count <= 1, lengths.count <= 1 else { throw .malformed(.framing) }
    if let coding = codings.first {
      guard !isHTTP10, !coding.isEmpty else { throw .malformed(.framing) }
      guard coding.asciiLowercased == "chunked" else {
        throw coding.utf8.contains(UInt8(ascii: ",")) ? .malformed(.framing) : .notImplemented
      }
      return .chunked
    }
    guard let text = lengths.first else { return nil }
    guard let length = Array(text.utf8).decimal(as: Int.self) else { throw .malformed(.framing) }
    return .length(length)
  }
}

/// Collects a body of at most `limits.body` bytes.
struct HTTP1BodyReader {
  private enum State { case fixed(remaining: Int), untilEnd, chunkSize, chunk(remaining: Int), chunkEnd, trailers(HTTP1HeadReader), done }

  private var state: State
  private(set) var body: Bytes = []

  init(_ framing: HTTP1Framing, limits: HTTPLimits) throws(HTTPError) {
    switch framing {
    case .length(0): state = .done
    case .length(let length):
      guard length <= limits.body else { throw .bodyTooLarge }
      state = .fixed(remaining: length)
    case .chunked: state = .chunkSize
    case .untilEnd: state = .untilEnd
    }
  }

  var isComplete: Bool { if case .done = state { true } else { false } }

  /// Whether the end of the connection is the end of the body.
  var endsWithConnection: Bool { if case .untilEnd = state { true } else { false } }

  /// true once the body is complete. What follows it stays in the buffer.
  mutating func read(from buffer: inout LineBuffer, limits: HTTPLimits) throws(HTTPError) -> Bool {
    while !isComplete {
      guard try step(&buffer, limits) else { return false }
    }
    return true
  }

  /// One element of the body; false where it has not arrived yet.
  private mutating func step(_ buffer: inout LineBuffer, _ limits: HTTPLimits) throws(HTTPError) -> Bool {
    switch state {
    case .fixed(let remaining):
      return take(remaining, from: &buffer) { $0 == 0 ? .done : .fixed(remaining: $0) }
    case .untilEnd:
      guard body.count + buffer.count <= limits.body else { throw .bodyTooLarge }
      body += buffer.take(upTo: buffer.count)
      return false
    case .chunkSize: return try readChunkSize(&buffer, limits)
    case .chunk(let remaining):
      return take(remaining, from: &buffer) { $0 == 0 ? .chunkEnd : .chunk(remaining: $0) }
    case .chunkEnd:
      guard let line = try buffer.line(limit: 0, tooLong: .malformed(.chunk)) else { return false }
      guard line.isEmpty else { throw .malformed(.chunk) }
      state = .chunkSize
      return true
    case .trailers(var reader):
      let isEnd = try reader.read(from: &buffer, limits: limits)
      state = isEnd ? .done : .trailers(reader)
      return isEnd
    case .done: return true
    }
  }

  private mutating func take(_ remaining: Int, from buffer: inout LineBuffer, next: (Int) -> State) -> Bool {
    let taken = buffer.take(upTo: remaining)
    body += taken
    state = next(remaining - taken.count)
    return !taken.isEmpty
  }

  /// RFC 9112 §7.1: hexadecimal digits, then extensions that nobody needs (§7.1.1), which may not be long.
  private mutating func readChunkSize(_ buffer: inout LineBuffer, _ limits: HTTPLimits) throws(HTTPError) -> Bool {
    guard let line = try buffer.line(limit: Self.longestSizeLine, tooLong: .malformed(.chunk)) else { return false }
    let digits = line.prefix { Hex.value(of: $0) != nil }
    let rest = line[digits.endIndex...].trimmedOfBlanks
    guard (1...8).contains(digits.count), rest.isEmpty || rest.first == UInt8(ascii: ";"), rest.allSatisfy(\.isFieldCharacter) else {
      throw .malformed(.chunk)
    }
    let size = digits.reduce(0) { $0 << 4 | Int(Hex.value(of: $1) ?? 0) }
    guard body.count + size <= limits.body else { throw .bodyTooLarge }
    state = size == 0 ? .trailers(.trailers) : .chunk(remaining: size)
    return true
  }

  private static let longestSizeLine = 256
}
