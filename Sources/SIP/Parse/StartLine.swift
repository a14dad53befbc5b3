import Primitives

/// The first line of a message (RFC 3261 §7.1, §7.2). What is wrong in it is kept beside what could be read.
struct StartLine {
  enum Kind {
    case request(Method, uri: Range<Int>)
    case response(status: Int, reason: Range<Int>)
    case unreadable
  }

  private(set) var kind = Kind.unreadable
  private(set) var fault: SIPError?

  init(_ line: Slice) {
    if line.prefix(4).equalsIgnoringCase("SIP/") { readResponse(line) } else { readRequest(line) }
  }

  /// `Method SP Request-URI SP SIP-Version`, one space each.
  private mutating func readRequest(_ line: Slice) {
    let text = line.trimmed
    guard let first = text.firstIndex(of: 32), let last = text.lastIndex(of: 32), text[..<first].isToken else {
      fault = .bad(.startLine)
      return
    }
    let uri = first < last ? text[(first + 1)..<last].trimmed : text[first..<first]
    kind = .request(Method(text[..<first]), uri: uri.startIndex..<uri.endIndex)
    fault = Self.fault(ofVersion: text[(last + 1)...])
    let isExact = text.count == line.count && uri.startIndex == first + 1 && uri.endIndex == last
    if fault == nil, !isExact || uri.isEmpty || uri.contains(where: \.isSpace) { fault = .bad(.startLine) }
  }

  /// `SIP-Version SP Status-Code [SP Reason-Phrase]`. Some send no space before an empty phrase, RFC 3665 (§3.9) itself two before the
  /// code: neither leaves a doubt, and a response cannot be refused.
  private mutating func readResponse(_ line: Slice) {
    let versionEnd = line.firstIndex(of: 32) ?? line.endIndex
    fault = Self.fault(ofVersion: line[..<versionEnd])
    let rest = line[versionEnd...].drop { $0 == 32 }
    let code = rest.prefix { $0 != 32 }
    guard code.count == 3, let status = code.decimal(as: Int.self), (100..<700).contains(status) else {
      fault = .bad(.startLine)
      return
    }
    let reason = rest[code.endIndex...].dropFirst()
    kind = .response(status: status, reason: reason.startIndex..<reason.endIndex)
  }

  /// 505 for a version that is not ours, 400 for what is none.
  private static func fault(ofVersion text: Slice) -> SIPError? {
    if text.equalsIgnoringCase("SIP/2.0") { return nil }
    let number = text.dropFirst(4)
    let isVersion = text.prefix(4).equalsIgnoringCase("SIP/") && number.contains(UInt8(ascii: "."))
    guard isVersion, number.allSatisfy({ $0.isDigit || $0 == UInt8(ascii: ".") }) else { return .bad(.startLine) }
    return SIPError(status: 505, fault: .version)
  }
}
