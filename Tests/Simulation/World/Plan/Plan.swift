public import SIP

/// Everything that is decided before a run begins: who is there, who calls when, what breaks when. From a seed, and less of it where a
/// failing run is made smaller.
public struct Plan: Sendable {
  public let seed: UInt64
  public var shape: Shape
  public var calls: [PlannedCall]
  public var faults: [PlannedFault]

  public struct Shape: Sendable {
    public var nodes = 3
    public var providers = 1
    public var accounts = 3
    /// Of each account.
    public var devices: [Int] = []
    public var transport = Transport.udp
    /// A call rings no longer.
    public var protection = Duration.seconds(30)
    public var expires = 600
    /// Of datagrams, in thousandths.
    public var loss = 0
    /// The provider's ACK goes to the Contact of each 2xx, not of the first one.
    public var acknowledgesToEach = true
    /// From then on nothing breaks any more.
    public var calm = Duration.seconds(40)

    public init() {}
  }
}

public struct PlannedCall: Sendable {
  public var at: Duration
  public var account: Int
  /// The caller waits so long for an answer.
  public var patience: Duration?
  /// After so long the caller hangs up; nil: it is left to the phone.
  public var callerTalks: Duration?
  public var refreshesAfter: Duration?
  public var asksAfter: Duration?
  public var hasOffer = true
  public var hasTimer = false
  /// It comes by two ways, to two nodes.
  public var isForked = false
}

public struct PlannedFault: Sendable {
  public var at: Duration
  public var fault: Fault
}

public enum Fault: Sendable, CustomStringConvertible {
  case crash(node: Int, isHostUp: Bool, down: Duration)
  case pause(node: Int, Duration)
  case leave(node: Int, down: Duration)
  case cut(Party, Party, Duration)
  case slow(Party, Party, by: Duration, Duration)
  /// What the primary took within `lag` before its end is lost.
  case failOver(lag: Duration, down: Duration, isSilent: Bool)
  case empty(down: Duration)
  /// The connection of a node to the store breaks: answers are lost.
  case reset(node: Int)

  /// What it is, in a word.
  public var kind: String {
    switch self {
    case .crash: "crash"
    case .pause: "pause"
    case .leave: "leave"
    case .cut: "cut"
    case .slow: "slow"
    case .failOver: "fail-over"
    case .empty: "empty"
    case .reset: "reset"
    }
  }

  public var description: String {
    switch self {
    case .crash(let node, let isHostUp, let down): "\(isHostUp ? "kill" : "lose the host of") \(Party.node(node).name), back after \(down)"
    case .pause(let node, let time): "stop \(Party.node(node).name) for \(time)"
    case .leave(let node, let down): "\(Party.node(node).name) leaves, back after \(down)"
    case .cut(let one, let other, let time): "cut \(one.name) from \(other.name) for \(time)"
    case .slow(let one, let other, let extra, let time): "slow \(one.name) to \(other.name) by up to \(extra) for \(time)"
    case .failOver(let lag, let down, let isSilent):
      "redis fails over after \(down), the last \(lag) are lost\(isSilent ? ", in silence" : "")"
    case .empty(let down): "redis comes back empty after \(down)"
    case .reset(let node): "the connection of \(Party.node(node).name) to redis breaks"
    }
  }
}
