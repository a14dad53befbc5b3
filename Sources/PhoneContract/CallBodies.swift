public import Primitives

/// Body of `POST /v1/calls/fetch`.
public struct FetchBody: Body {
  public var line: Line
  public var stage: FetchStage

  public init(line: Line, stage: FetchStage) {
    self.line = line
    self.stage = stage
  }

  enum CodingKeys: String, CodingKey { case line, stage }

  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    guard let line = Line(rawValue: try members.number(.line, in: 1...2)) else { throw members.wrong(.line) }
    self.line = line
    stage = try members.decode(FetchStage.self, forKey: .stage)
  }
}

/// Body of `POST /v1/lines/N/answer`.
public struct AnswerBody: Body, Discreet {
  public var sdp: String
  /// false: the answer is kept until a `confirm`.
  public var confirm: Bool

  public init(sdp: String, confirm: Bool = true) {
    self.sdp = sdp
    self.confirm = confirm
  }

  enum CodingKeys: String, CodingKey { case sdp, confirm }

  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    sdp = try members.text(.sdp, .sdp)
    confirm = try members.decodeIfPresent(Bool.self, forKey: .confirm) ?? true
  }
}

/// Body of an offer to the provider, and of the answer to one of his.
public struct SDPBody: Body, Discreet {
  public var sdp: String

  public init(sdp: String) { self.sdp = sdp }

  enum CodingKeys: String, CodingKey { case sdp }

  public init(from decoder: any Decoder) throws {
    sdp = try decoder.container(keyedBy: CodingKeys.self).text(.sdp, .sdp)
  }
}

/// Body of `POST /v1/lines/N/dtmf`.
public struct DTMFBody: Body, Discreet {
  public var digits: String
  public var durationMS: Int

  public init(digits: String, durationMS: Int) {
    self.digits = digits
    self.durationMS = durationMS
  }

  enum CodingKeys: String, CodingKey {
    case digits
    case durationMS = "duration_ms"
  }

  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    digits = try members.text(.digits, .digits)
    durationMS = try members.number(.durationMS, in: 40...6000)
  }
}
