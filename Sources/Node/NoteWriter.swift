import Core
import Network
import Primitives
import SIP
import Store
import Switchboard
import Telemetry

/// What the core notes becomes a line of the log and a step of a counter.
@LoopActor
final class NoteWriter {
  private let log: Log
  private let metrics: NodeMetrics

  init(log: Log, metrics: NodeMetrics) {
    self.log = log
    self.metrics = metrics
  }

  func write(_ note: NodeNote) {
    switch note {
    case .switchboard(let note): write(note)
    case .stoodUp(let holder): log.info("this node has a lease", .number("incarnation", Int(truncatingIfNeeded: holder.incarnation)))
    case .stoodDown: log.warning("this node has no lease and does nothing")
    case .joinRefused(.nameTaken): log.error("another process has this node's name: node.name has to be its own")
    case .joinRefused(.otherKey): log.error("the cluster has another key: node.cluster_key has to be the same on all nodes")
    case .lives(let count): log.info("nodes that live", .number("count", count))
    case .died: log.warning("a node has died")
    }
  }

  private func write(_ note: Note) {
    metrics.count(note)
    switch note {
    case .held(let call): log.info("call held", .call(CallTag(call)))
    case .refused(let call): log.info("call refused", .call(CallTag(call)), .status(480))
    case .unreachable(let call): log.info("no device can be reached", .call(CallTag(call)), .status(480))
    case .fetched(let call, let delay): log.info("call fetched", .call(CallTag(call)), .duration("after", delay))
    case .answered(let call, let delay): log.info("call answered", .call(CallTag(call)), .duration("after", delay))
    case .confirmed(let call): log.debug("answer confirmed", .call(CallTag(call)))
    case .unacknowledged(let call): log.warning("no ACK", .call(CallTag(call)))
    case .declined(let call): log.info("call declined", .call(CallTag(call)), .status(603))
    case .cancelled(let call): log.info("caller hung up", .call(CallTag(call)), .status(487))
    case .timedOut(let call): log.info("nobody answered", .call(CallTag(call)), .status(480))
    case .expired(let call): log.info("session expired", .call(CallTag(call)))
    case .ended(let call, let why, let length):
      log.info("call ended", .call(CallTag(call)), .reason(why.word), .duration("after", length))
    case .callRejected(let why): log.info("INVITE rejected", .reason(why.word))
    case .registration(let account, let state): log.info("registration", .account(AccountTag(account)), .word("state", state.word))
    case .taken(let account): log.info("account taken", .account(AccountTag(account)))
    case .givenAway(let account): log.info("account given away", .account(AccountTag(account)))
    case .adopted(let call): log.info("call adopted", .call(CallTag(call)))
    case .deregistered(let account): log.info("account left", .account(AccountTag(account)))
    }
  }
}

extension CallTag {
  init(_ id: CallID) { self.init(random: UInt32(truncatingIfNeeded: id.number)) }
}

extension AccountTag {
  init(_ id: AccountID) { self.init(prefix: id.bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }) }
}
