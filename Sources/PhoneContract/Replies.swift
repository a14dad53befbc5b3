public import Primitives

/// 200 to a probe.
public struct ProbeReply: Body {
  public var transport: TransportChoice
  public var challenges: [ChallengeBody]

  public init(transport: TransportChoice, challenges: [ChallengeBody]) {
    self.transport = transport
    self.challenges = challenges
  }
}

/// 200 to a fetch.
public struct FetchReply: Body, Discreet {
  public var line: Line
  /// The provider's SDP, unchanged; nil where the INVITE had none: the phone then offers.
  public var offer: String?

  public init(line: Line, offer: String?) {
    self.line = line
    self.offer = offer
  }

  enum CodingKeys: String, CodingKey { case line, offer }

  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(line, forKey: .line)
    try members.encode(offer, forKey: .offer)
  }
}

/// 200 to an answer, a confirm and an offer.
public struct AnswerReply: Body, Discreet {
  /// The other side's answer, where the phone offered.
  public var sdp: String?

  public init(sdp: String?) { self.sdp = sdp }

  enum CodingKeys: String, CodingKey { case sdp }

  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(sdp, forKey: .sdp)
  }
}

/// 200 to a status request.
public struct StatusReply: Body, Discreet {
  /// What the next request says as `after`.
  public var next: Int
  public var events: [Event]

  public init(next: Int, events: [Event]) {
    self.next = next
    self.events = events
  }
}
