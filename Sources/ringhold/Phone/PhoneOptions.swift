import PhoneContract
import PhoneKit
import Primitives

extension Option {
  static let keys = Option(name: "--keys", value: "FILE", summary: "the phone's secret keys", isRequired: true)
  static let server = Option(name: "--server", value: "URL", summary: "https://HOST[:PORT]; without it https://localhost:8443")
  static let ca = Option(name: "--ca", value: "FILE", summary: "certificates to trust in the place of the system's, in PEM")
  static let address = Option(name: "--address", value: "ADDRESS:PORT", summary: "where the server is, if its name does not say it")
  static let curve = Option(name: "--curve", value: "CURVE", summary: "of keys that are made now: curve25519 (the default) or p256")

  static let ofEveryPhone: [Option] = [.keys, .server, .ca, .address]

  static let line = Option(name: "--line", value: "N", summary: "1 (the default) or 2")
  static let media = Option(
    name: "--media", value: "ADDRESS:PORT", summary: "where sound is to be sent; a small session description is made for it")
  static let sdp = Option(name: "--sdp", value: "FILE", summary: "a session description to use as it is")
}

extension Arguments {
  func address(_ option: Option) throws(UsageError) -> SocketAddress? {
    guard let text = self[option] else { return nil }
    guard let address = SocketAddress(text) else { throw UsageError("\(option.name) must be ADDRESS:PORT, such as 192.0.2.1:5060") }
    return address
  }

  func number(_ option: Option, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
    guard let text = self[option] else { return nil }
    guard let number = Array(text.utf8).decimal(as: Int.self), range.contains(number) else {
      throw UsageError("\(option.name) must be a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// One of the words of a choice.
  func choice<Choice: RawRepresentable<String> & CaseIterable>(_ option: Option) throws(UsageError) -> Choice? {
    guard let text = self[option] else { return nil }
    guard let choice = Choice(rawValue: text) else {
      throw UsageError("\(option.name) must be one of \(Choice.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return choice
  }

  func phoneLine() throws(UsageError) -> Line {
    try number(.line, in: 1...2).flatMap(Line.init(rawValue:)) ?? .one
  }

  func keyKind() throws(UsageError) -> Phone.KeyKind {
    switch self[.curve] {
    case "curve25519", nil: .curve25519
    case "p256": .p256
    default: throw UsageError("--curve must be curve25519 or p256")
    }
  }

  /// What the phone says of itself when it answers.
  func phoneMedia() throws -> PhoneMedia {
    guard !has(.media) || !has(.sdp) else { throw UsageError("--media and --sdp exclude each other") }
    if let file = self[.sdp] { return .fixed(try InputFile.read(file).text) }
    guard let address = try address(.media) else {
      throw UsageError("where to is sound to be sent? \(Option.media.usage) or \(Option.sdp.usage)")
    }
    return .audio(AudioDescription(at: address))
  }
}

/// What the phone says of itself when it answers. It sends no sound and takes none: some other program does that at the address.
enum PhoneMedia: Sendable {
  /// Whatever is offered.
  case fixed(String)
  case audio(AudioDescription)

  /// nil: the phone offers.
  func answer(to offer: String?, version: Int = 1) throws(PhoneError) -> String {
    switch self {
    case .fixed(let sdp): sdp
    case .audio(let audio): try offer.map { offer throws(PhoneError) in try audio.answer(to: offer, version: version) } ?? audio.offer
    }
  }
}
