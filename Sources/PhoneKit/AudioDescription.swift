public import Primitives

/// The session description (RFC 8866) of a phone with one audio stream: G.711 and telephone-event, sent to and from one address.
/// For phones that leave the sound to something else, and for trying things out.
public struct AudioDescription: Sendable, Hashable {
  public let address: SocketAddress

  public init(at address: SocketAddress) { self.address = address }

  /// An offer (RFC 3264 §5), for a call that came without one.
  public var offer: String { text(version: 1, [stream(Stream.all, direction: "sendrecv")]) }

  /// The answer to `offer` (RFC 3264 §6): the first audio stream of it that can be taken is, all others are refused.
  /// - Parameter version: counts the descriptions of a call, from 1.
  /// - Throws: `noCommonMedia` where the offer has no stream that can be taken.
  public func answer(to offer: String, version: Int = 1) throws(PhoneError) -> String {
    let offered = OfferedMedia.all(in: offer)
    guard let taken = offered.firstIndex(where: { !$0.common.isEmpty }) else { throw .noCommonMedia }
    let streams = offered.enumerated().map { index, media in
      index == taken ? stream(media.common, direction: media.answeredDirection) : media.refusal
    }
    return text(version: version, streams)
  }

  private func text(version: Int, _ streams: [[String]]) -> String {
    let connection = "IN \(address.ip.isIPv6 ? "IP6" : "IP4") \(address.ip.text)"
    let lines = ["v=0", "o=- 1 \(version) \(connection)", "s=-", "c=\(connection)", "t=0 0"] + streams.flatMap(\.self)
    return lines.map { $0 + "\r\n" }.joined()
  }

  private func stream(_ formats: [Stream.Format], direction: String) -> [String] {
    ["m=audio \(address.port) \(Stream.transport) " + formats.map(\.number).joined(separator: " ")]
      + formats.map { "a=rtpmap:\($0.number) \($0.encoding)" } + ["a=ptime:20", "a=\(direction)"]
  }

  /// What the phone can do.
  enum Stream {
    struct Format: Hashable {
      /// Of the RTP payload.
      let number: String
      let encoding: String

      /// Whether RFC 3551 §6 gives the number.
      var isStatic: Bool { encoding.hasPrefix("PCM") }
    }

    static let transport = "RTP/AVP"
    static let all = [
      Format(number: "8", encoding: "PCMA/8000"), Format(number: "0", encoding: "PCMU/8000"),
      Format(number: "101", encoding: "telephone-event/8000"),
    ]
  }
}

/// One `m=` section of an offer.
private struct OfferedMedia {
  /// Kind, port, transport, formats.
  private let words: [Substring]
  private let attributes: [Substring]
  private let sessionAttributes: [Substring]

  static func all(in offer: String) -> [OfferedMedia] {
    // A carriage return with its line feed is one character of a Swift text, and a newline too.
    let lines = offer.split(whereSeparator: \.isNewline)
    let starts = lines.indices.filter { lines[$0].hasPrefix("m=") }
    let session = lines[..<(starts.first ?? lines.endIndex)]
    return zip(starts, starts.dropFirst() + [lines.endIndex]).map { start, end in
      OfferedMedia(
        words: lines[start].dropFirst(2).split(separator: " "), attributes: attributes(lines[start..<end]),
        sessionAttributes: attributes(session))
    }
  }

  private static func attributes(_ lines: ArraySlice<Substring>) -> [Substring] {
    lines.filter { $0.hasPrefix("a=") }.map { $0.dropFirst(2) }
  }

  /// The formats that both know, in the offer's order, with the offer's numbers; none where no sound would come of them.
  var common: [AudioDescription.Stream.Format] {
    guard words.count > 3, words[0] == "audio", words[1] != "0", words[2] == AudioDescription.Stream.transport else { return [] }
    let formats = words[3...].compactMap(format)
    return formats.contains(where: \.isStatic) ? formats : []
  }

  /// RFC 3551 gives 0 and 8 their meaning, whether there is an `rtpmap` or not.
  private func format(_ number: Substring) -> AudioDescription.Stream.Format? {
    let map = attributes.first { $0.hasPrefix("rtpmap:\(number) ") }?.drop { $0 != " " }.dropFirst()
    let known = AudioDescription.Stream.all.first { known in
      map.map { $0.lowercased().hasPrefix(known.encoding.lowercased()) } ?? (number == known.number && known.isStatic)
    }
    return known.map { AudioDescription.Stream.Format(number: String(number), encoding: $0.encoding) }
  }

  /// RFC 3264 §6.1.
  var answeredDirection: String {
    let directions: Set<Substring> = ["sendrecv", "sendonly", "recvonly", "inactive"]
    switch attributes.first(where: directions.contains) ?? sessionAttributes.first(where: directions.contains) {
    case "sendonly": return "recvonly"
    case "recvonly": return "sendonly"
    case "inactive": return "inactive"
    default: return "sendrecv"
    }
  }

  /// RFC 3264 §6: port 0.
  var refusal: [String] {
    let rest = words.count > 2 ? words[2...].joined(separator: " ") : ""
    return ["m=\(words.first ?? "audio") 0 \(rest)"]
  }
}
