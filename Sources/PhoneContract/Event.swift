public import Primitives

/// Something that happened in a call. `seq` starts at 1 with each call.
public struct Event: Body, Discreet {
  public var seq: Int
  public var kind: Kind

  public enum Kind: Sendable, Hashable {
    /// `sdp` nil: the phone must offer.
    case offer(id: String, sdp: String?)
    case offerWithdrawn
    case ended(EndReason)
    /// From a server that knows more than this reader.
    case other(type: String)
  }

  public init(seq: Int, kind: Kind) {
    self.seq = seq
    self.kind = kind
  }

  enum CodingKeys: String, CodingKey { case seq, type, id, sdp, why }

  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    seq = try members.number(.seq, in: 1...Int.max)
    switch try members.decode(String.self, forKey: .type) {
    case "offer": kind = .offer(id: try members.text(.id, .pathID), sdp: try members.optionalText(.sdp, .sdp))
    case "offer-withdrawn": kind = .offerWithdrawn
    case "ended": kind = .ended(try members.decode(EndReason.self, forKey: .why))
    case let type: kind = .other(type: type)
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(seq, forKey: .seq)
    try members.encode(type, forKey: .type)
    switch kind {
    case .offer(let id, let sdp):
      try members.encode(id, forKey: .id)
      try members.encode(sdp, forKey: .sdp)
    case .ended(let why): try members.encode(why, forKey: .why)
    case .offerWithdrawn, .other: break
    }
  }

  public var type: String {
    switch kind {
    case .offer: "offer"
    case .offerWithdrawn: "offer-withdrawn"
    case .ended: "ended"
    case .other(let type): type
    }
  }
}
