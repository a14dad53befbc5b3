import Cryptography
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

extension RequestIdentity {
  /// What the copies of a forked INVITE have in common, as the store keeps it.
  var digest: Bytes {
    var text = callID
    text.append(0)
    text.append(contentsOf: fromTag)
    text.append(0)
    text.append(decimal: cseq)
    return Hash.sha256(text)
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
