import Primitives

/// Cuts a stream into messages (RFC 3261 §18.3) by Content-Length and nothing else, with the keep-alives of RFC 5626 §4.4.1 between
/// them. However the stream is cut into pieces, the events are the same. How long a partial message may take is its owner's affair.
public struct StreamParser: Sendable {
  public enum Event: Sendable, Hashable {
    case message(ParsedMessage)
    /// One CRLF between messages: the pong to our ping, if one is awaited.
    case pong
    /// The second CRLF of two: a ping, to be answered with one CRLF. (The first was told as `pong`.)
    case ping
    /// A message that cannot be used; its request, if any, is to be answered. After a fatal one nothing more comes: the framing is
    /// lost and the connection has to be closed.
    case failure(SIPError, isFatal: Bool)
  }

  private enum State {
    case between(lineEnds: Int)
    /// Bytes of the head in which no end was found.
    case head(searched: Int)
    case body(Head, end: Int)
    case failed
  }

  /// Starts where the current message starts. At most one message and one piece long.
  private var buffer = Bytes()
  private var state = State.between(lineEnds: 0)

  public init() {}

  /// Whether a message has begun and not ended.
  public var isPartial: Bool {
    switch state {
    case .between: !buffer.isEmpty
    case .head, .body: true
    case .failed: false
    }
  }

  public mutating func receive(_ piece: some Collection<UInt8>) -> [Event] {
    if case .failed = state { return [] }
    buffer.append(contentsOf: piece)
    var events: [Event] = []
    while step(&events) {}
    return events
  }

  /// False where more bytes are needed.
  private mutating func step(_ events: inout [Event]) -> Bool {
    switch state {
    case .between(let lineEnds): return skipLineEnd(lineEnds, &events)
    case .head(let searched): return findHeadEnd(from: searched, &events)
    case .body(let head, let end): return finish(head, end, &events)
    case .failed: return false
    }
  }

  private mutating func skipLineEnd(_ lineEnds: Int, _ events: inout [Event]) -> Bool {
    guard let first = buffer.first else { return false }
    guard first == 13 else {
      state = .head(searched: 0)
      return true
    }
    guard buffer.count > 1 else { return false }
    guard buffer[1] == 10 else { return fail(.bad(.framing), &events) }
    buffer.removeFirst(2)
    events.append(lineEnds == 0 ? .pong : .ping)
    state = .between(lineEnds: (lineEnds + 1) % 2)
    return true
  }

  private mutating func findHeadEnd(from searched: Int, _ events: inout [Event]) -> Bool {
    guard let end = buffer.headEnd(from: searched) else {
      // The last three bytes may be the start of an end.
      state = .head(searched: max(searched, buffer.count - 3))
      return buffer.count > MessageParser.largestMessage ? fail(SIPError(status: 513, fault: .tooLarge), &events) : false
    }
    let head = Head(buffer, limit: end)
    guard head.isFramed, let length = head.bodyLength else {
      return fail(head.error(in: buffer, head.fault ?? .bad(.missing(.contentLength))), &events)
    }
    guard length <= MessageParser.largestMessage - end else {
      return fail(head.error(in: buffer, SIPError(status: 513, fault: .tooLarge)), &events)
    }
    state = .body(head, end: end + length)
    return true
  }

  private mutating func finish(_ head: Head, _ end: Int, _ events: inout [Event]) -> Bool {
    guard buffer.count >= end else { return false }
    let raw = take(end)
    state = .between(lineEnds: 0)
    do {
      events.append(.message(try head.message(raw, head.fault)))
    } catch {
      events.append(.failure(error, isFatal: false))
    }
    return true
  }

  /// The message's bytes; in the usual case, one message in one piece, nothing is copied.
  private mutating func take(_ count: Int) -> Bytes {
    var taken = Bytes()
    if buffer.count == count {
      swap(&taken, &buffer)
    } else {
      taken = Array(buffer[..<count])
      buffer.removeFirst(count)
    }
    return taken
  }

  private mutating func fail(_ error: SIPError, _ events: inout [Event]) -> Bool {
    events.append(.failure(error, isFatal: true))
    state = .failed
    buffer = []
    return false
  }
}

extension Head {
  /// `fault`, about the request of this head, which comes without its body.
  fileprivate func error(in raw: Bytes, _ fault: SIPError) -> SIPError {
    do {
      _ = try message(Array(raw[..<bodyStart]), fault)
      return fault
    } catch {
      return error
    }
  }
}

extension Bytes {
  /// The index after the first empty line that ends at or after `start`: a line end right after a line end, with or without CR, as
  /// the field scanner sees it.
  fileprivate func headEnd(from start: Int) -> Int? {
    var index = start
    while let feed = self[index...].firstIndex(of: 10) {
      if feed + 1 < count, self[feed + 1] == 10 { return feed + 2 }
      if feed + 2 < count, self[feed + 1] == 13, self[feed + 2] == 10 { return feed + 3 }
      index = feed + 1
    }
    return nil
  }
}
