import Primitives
import SIP

extension Request {
  /// Whether a CANCEL says that somebody else has answered (RFC 3326: `Reason: SIP;cause=200`).
  var saysAnsweredElsewhere: Bool {
    message.values(.reason).contains { value in
      let parts = value.split(separator: UInt8(ascii: ";"))
      return parts.first?.trimmed.equalsIgnoringCase("SIP") == true
        && parts.dropFirst().contains { $0.trimmed.equalsIgnoringCase("cause=200") }
    }
  }
}

extension Slice {
  /// Without white space at either end.
  fileprivate var trimmed: Slice {
    let start = drop { $0 == 32 || $0 == 9 }
    let end = start.lastIndex { $0 != 32 && $0 != 9 }.map { $0 + 1 } ?? start.startIndex
    return start[..<end]
  }
}
