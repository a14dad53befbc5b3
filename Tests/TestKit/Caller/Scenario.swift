/// What a caller does and waits for, step by step. sipp plays it and fails where something else comes.
public struct Scenario: Sendable {
  public enum Step: Sendable {
    /// With the caller's SDP, or without any: the callee then offers.
    case invite(offer: Bool)
    /// Waits for a response; others of 1xx may come before.
    case expect(Int)
    /// To a final response.
    case ack(answer: Bool)
    case cancel
    case bye
    /// Waits for a request of the callee.
    case receive(String)
    /// Answers the request that was received.
    case ok
    /// The same with the caller's SDP.
    case accept
    /// Milliseconds in which nothing is awaited.
    case pause(Int)
  }

  public let steps: [Step]
  /// The display name and the user part of who calls.
  public let name: String
  public let number: String

  public init(_ steps: [Step], name: String = "Ann Example", number: String = "+4930123456") {
    self.steps = steps
    self.name = name
    self.number = number
  }

  public static let ringing: [Step] = [.invite(offer: true), .expect(180)]

  /// Answered; the caller hangs up after a while.
  public static func talks(for milliseconds: Int) -> Scenario {
    Scenario(ringing + [.expect(200), .ack(answer: false), .pause(milliseconds), .bye, .expect(200)])
  }
  /// Answered; the callee hangs up.
  public static let listens = Scenario(ringing + [.expect(200), .ack(answer: false), .receive("BYE"), .ok])
  /// Answered; meanwhile the call comes to another node, which tells where it is; the callee hangs up.
  public static let listensThroughTakeover = Scenario(
    ringing + [.expect(200), .ack(answer: false), .receive("INVITE"), .accept, .receive("ACK"), .receive("BYE"), .ok])
  /// Gives up after a while.
  public static func givesUp(after milliseconds: Int) -> Scenario {
    Scenario(ringing + [.pause(milliseconds), .cancel, .expect(200), .expect(487), .ack(answer: false)])
  }
  /// Rings, and gets a refusal.
  public static func rings(until status: Int) -> Scenario { Scenario(ringing + [.expect(status), .ack(answer: false)]) }
  /// Gets a refusal, whether it rang or not.
  public static func isRefused(_ status: Int) -> Scenario {
    Scenario([.invite(offer: true), .expect(status), .ack(answer: false)])
  }
  /// The callee offers, the caller answers in the ACK.
  public static let letsTheOtherOffer = Scenario([
    .invite(offer: false), .expect(180), .expect(200), .ack(answer: true), .receive("BYE"), .ok,
  ])
}
