import FoundationEssentials
public import Primitives

/// What a device is told before it asks: who is calling, or that it shall stop ringing.
public enum Announcement: Sendable, Hashable, Discreet {
  /// `number` is the user part as the provider sent it; a withheld caller has neither.
  case call(at: Instant, number: String?, name: String?)
  case stop(at: Instant, why: StopReason)

  /// The plaintext of exactly 512 bytes: JSON, then spaces. A name that is too long is cut at a character.
  public func padded() -> Bytes {
    var out = Bytes()
    out.reserveCapacity(Contract.announcementLength)
    switch self {
    case .call(let at, let number, let name):
      out.append(#"{"kind":"call","at":"#)
      out.append(decimal: at.milliseconds)
      out.append(#","number":"#)
      out.append(contentsOf: JSONText.quoted(number, limit: Self.numberLimit))
      out.append(#","name":"#)
      out.append(contentsOf: JSONText.quoted(name, limit: Contract.announcementLength - out.count - 1))
      out.append(UInt8(ascii: "}"))
    case .stop(let at, let why):
      out.append(#"{"kind":"stop","at":"#)
      out.append(decimal: at.milliseconds)
      out.append(#","why":""#)
      out.append(text: why.rawValue)
      out.append(#""}"#)
    }
    out.append(contentsOf: repeatElement(UInt8(ascii: " "), count: Contract.announcementLength - out.count))
    return out
  }

  /// Bytes of a number with its quotes: longer than any that is dialled, and the rest is left for the name.
  private static let numberLimit = 130
}

extension Announcement {
  /// Reads an opened announcement; nil where it is none that this contract names.
  public init?(_ plaintext: some Collection<UInt8>) {
    guard plaintext.count <= Contract.announcementLength, let read = try? JSONDecoder().decode(Read.self, from: Data(plaintext)) else {
      return nil
    }
    switch read.kind {
    case .call: self = .call(at: read.instant, number: read.number, name: read.name)
    case .stop:
      guard let why = read.why else { return nil }
      self = .stop(at: read.instant, why: why)
    }
  }

  private struct Read: Decodable {
    enum Kind: String, Decodable { case call, stop }

    let kind: Kind
    let at: Int64
    let number: String?
    let name: String?
    let why: StopReason?

    /// Milliseconds that an `Instant` cannot hold become its last one.
    var instant: Instant { .zero + .milliseconds(at) }
  }
}
