import Core
import Primitives
import SIP
import Store

/// Nothing is sent in our name by a node whose lease is gone: after somebody else has taken it for dead, and acted on that.
struct NothingWithoutLease {
  static let name = "nothing without a lease"

  private var owners: [AccountID: Fence] = [:]
  /// Whom others have taken for dead, and how.
  private var dead: [Holder: String] = [:]
  private(set) var breaches: [String] = []

  mutating func stored(_ command: StoreCommand, _ reply: StoreReply, now: Instant) {
    switch (command, reply) {
    case (.buryLease(let holder, _), .buried): dead[holder] = "it was buried"
    case (.joinCluster(let node, _, _), .joined(let holder)):
      // Its own word: it has begun a new life.
      for former in owners.values.map(\.holder) where former.node == node && former != holder { dead[former] = "it lives again" }
    case (.claimOwner(let account, let holder, _), .owned(let epoch, _)):
      if let former = owners[account], former.holder.node != holder.node {
        dead[former.holder] = "\(holder.node) claimed an account of its"
      }
      owners[account] = Fence(holder: holder, epoch: epoch)
    case (.releaseOwner(let account, let fence), .done): if owners[account] == fence { owners[account] = nil }
    case (.adoptCall(_, _, let from, let to), .adopted) where from.node != to.node: dead[from] = "\(to.node) adopted a call of its"
    default: break
    }
  }

  mutating func acts(_ holder: Holder?, _ action: NodeCore.Action, now: Instant) {
    guard let holder else { return breaches.append("\(action.word) by a node that is no holder") }
    if let why = dead[holder] { breaches.append("\(action.word) by \(holder), though \(why)") }
  }
}

extension NodeCore.Action {
  /// For the story.
  var word: String {
    switch self {
    case .respond(_, let response): "a response \(response.status)"
    case .send(let request, _, _, _): request.method.bytes.text
    case .register: "REGISTER"
    case .announce: "an announcement"
    case .stop: "a stop"
    default: "something"
    }
  }
}
