public import Primitives

extension Message {
  /// The message with one more header line above all others.
  func inserting(_ name: HeaderName, _ value: some Collection<UInt8>) -> Message {
    let line = Self.line(name, value)
    let start = fields.first?.nameRange.lowerBound ?? bodyStart - 2
    return splicing(start..<start, line, fields: [Self.field(name, at: start, valueCount: value.count)], replacing: 0..<0)
  }

  /// The message with the first value of the field replaced; its line's other values stay where they are. Inserted where missing.
  func replacingTop(_ name: HeaderName, _ value: some Collection<UInt8>) -> Message {
    guard let index = fields.firstIndex(where: { $0.name == name }) else { return inserting(name, value) }
    let old = fields[index]
    var whole = Array(value)
    for other in self.value(name)?.listValues.dropFirst() ?? [] {
      whole.append(", ")
      whole.append(contentsOf: other)
    }
    let start = old.nameRange.lowerBound
    let field = Self.field(name, at: start, valueCount: whole.count)
    let end = lineEnd(after: old.valueRange.upperBound)
    return splicing(start..<end, Self.line(name, whole), fields: [field], replacing: index..<(index + 1))
  }

  /// The index after the line end that closes the field: white space before it belongs to no value.
  private func lineEnd(after valueEnd: Int) -> Int {
    (raw[valueEnd...].firstIndex(of: 10) ?? raw.endIndex - 1) + 1
  }

  private func splicing(_ range: Range<Int>, _ line: Bytes, fields new: [Field], replacing indices: Range<Int>) -> Message {
    let shift = line.count - range.count
    var bytes = Bytes()
    bytes.reserveCapacity(raw.count + shift)
    bytes.append(contentsOf: raw[..<range.lowerBound])
    bytes.append(contentsOf: line)
    bytes.append(contentsOf: raw[range.upperBound...])
    let after = fields[indices.upperBound...].map { $0.shifted(by: shift) }
    return Message(raw: bytes, fields: fields[..<indices.lowerBound] + new + after, bodyStart: bodyStart + shift)
  }

  private static func line(_ name: HeaderName, _ value: some Collection<UInt8>) -> Bytes {
    var line = Bytes()
    line.append(name.text)
    line.append(": ")
    line.append(contentsOf: value)
    line.append("\r\n")
    return line
  }

  private static func field(_ name: HeaderName, at start: Int, valueCount: Int) -> Field {
    let nameEnd = start + name.text.utf8CodeUnitCount
    return Field(name: name, nameRange: start..<nameEnd, valueRange: (nameEnd + 2)..<(nameEnd + 2 + valueCount))
  }
}

extension Message.Field {
  fileprivate func shifted(by distance: Int) -> Message.Field {
    func moved(_ range: Range<Int>) -> Range<Int> { range.lowerBound + distance..<range.upperBound + distance }
    return .init(name: name, nameRange: moved(nameRange), valueRange: moved(valueRange))
  }
}

extension Request {
  /// The request with one more header line above all others: a Via, a Route.
  public func inserting(_ name: HeaderName, _ value: some Collection<UInt8>) -> Request {
    Request(message: message.inserting(name, value), method: method, uriRange: uriRange)
  }

  /// The request with the first value of the field replaced.
  public func replacingTop(_ name: HeaderName, _ value: some Collection<UInt8>) -> Request {
    Request(message: message.replacingTop(name, value), method: method, uriRange: uriRange)
  }

  /// The request as RFC 3261 §18.2.1 and RFC 3581 §4 want it from the transport: the top Via says where it came from, unless the
  /// sent-by says so already and no rport is asked for. Throws 400 where there is no readable top Via.
  public func stamped(source: SocketAddress) throws(SIPError) -> Request {
    let via = try topVia
    guard via.wantsRport || via.sentBy.address != source.ip else { return self }
    return replacingTop(.via, via.stamped(source: source))
  }
}

extension Response {
  public func inserting(_ name: HeaderName, _ value: some Collection<UInt8>) -> Response {
    Response(message: message.inserting(name, value), status: status, reasonRange: reasonRange)
  }
}

extension Via {
  /// The value with `received`, and `rport` where it was asked for; any the client claimed itself are gone.
  func stamped(source: SocketAddress) -> Bytes {
    var out = Array(raw[..<parameters.raw.startIndex].trimmed)
    for part in parameters.segments where !part.name.equalsIgnoringCase("received") && !part.name.equalsIgnoringCase("rport") {
      out.append(UInt8(ascii: ";"))
      out.append(contentsOf: part.text)
    }
    out.append(";received=")
    out.append(text: source.ip.text)
    if wantsRport {
      out.append(";rport=")
      out.append(decimal: source.port)
    }
    return out
  }
}
