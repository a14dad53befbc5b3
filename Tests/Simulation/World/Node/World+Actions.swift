import Core
import PhoneContract
import Primitives
import SIP
import Store
import Switchboard

/// What a node decided is done.
extension World {
  mutating func perform(_ action: NodeCore.Action, at index: Int) {
    guard nodes[index].isUp else { return }
    if action.isInOurName {
      guard nodes[index].core.mayAct(now: now) else { return }
      ledger.leases.acts(nodes[index].core.holder, action, now: now)
      noteAct(action, of: index)
    }
    switch action {
    case .respond(let id, let response): perform(nodes[index].layer.respond(to: id, with: response, now: now), at: index)
    case .acknowledged(let id): perform(nodes[index].layer.acknowledged(id), at: index)
    case .drop(let id): nodes[index].layer.forget(id)
    case .adopt(let invite, let last, let flow): adopt(invite, last, flow, at: index)
    case .send(let request, let hop, let flow, let call): send(request, hop, flow, call, at: index)
    case .locate(let account, _): locate(account, at: index)
    case .register(let account, let request, let target): register(account, request, target, at: index)
    case .announce(let call, let device, let caller, _): announce(call, device, caller, at: index)
    case .withdraw(let call, let device): withdraw(call, device, at: index)
    case .stop(let call, let device, let why, _): stop(call, device, why, at: index)
    case .store(let command, let question): ask(command, .core(question), at: index)
    case .answer(let id, let response): answer(id.number, response, at: index)
    case .notHere(let id): answerPeer(id.number, .notHere, at: index)
    case .greet(let members, let greeting): greet(members, greeting, at: index)
    case .knock(let peer): knock(peer, at: index)
    case .renewThrough(let peer, let holder, let sentAt):
      ask(peer, .renew(holder), .renew(holder, sentAt: sentAt), within: .seconds(1), at: index)
    case .forward(let id, let asked, let peer, let limit): ask(peer, .phone(asked), .forward(id), within: limit, at: index)
    case .abandon(let id): abandon(id, at: index)
    case .pass(let message, let peer, let id): ask(peer, .pass(message), .pass(id), within: .seconds(32), at: index)
    case .handed(let accounts, let peer): ask(peer, .handed(accounts), .handed, within: .seconds(1), at: index)
    case .answerRenewal(let id, let outcome): answerQuestion(id.number, .renewal(outcome), at: index)
    case .answerPassed(let id, let bytes): answerQuestion(id.number, .passed(bytes), at: index)
    case .note(let note): noted(note, at: index)
    case .left: left(index)
    }
  }

  private mutating func noteAct(_ action: NodeCore.Action, of index: Int) {
    switch action {
    case .announce(let call, _, _, _), .stop(let call, _, _, _): noteAct(call, of: index)
    case .respond(_, let response) where response.status >= 200:
      if case .invite? = try? response.cseq.method, let number = legNumber(try? response.callID) { noteFinal(ofLeg: number, by: index) }
    default: break
    }
  }

  private mutating func noted(_ note: NodeNote, at index: Int) {
    switch note {
    case .stoodUp(let holder): story.tell(now, Party.node(index), "has a lease as \(holder.incarnation)")
    case .stoodDown: story.tell(now, Party.node(index), "has no lease and does nothing")
    case .lives(let count): story.tell(now, Party.node(index), "sees \(count) living nodes")
    case .died: story.tell(now, Party.node(index), "takes a node for dead")
    case .joinRefused(let why): story.tell(now, Party.node(index), "may not join: \(why)")
    case .switchboard(.taken(let account)): story.tell(now, Party.node(index), "owns \(name(account))")
    case .switchboard(.givenAway(let account)): story.tell(now, Party.node(index), "owns \(name(account)) no more")
    case .switchboard(.adopted(let call)): story.tell(now, Party.node(index), "adopts \(name(call))")
    case .switchboard(.callRejected(let why)): story.tell(now, Party.node(index), "rejects a call: \(why.rawValue)")
    case .switchboard(.ended(let call, let why, _)): story.tell(now, Party.node(index), "\(name(call)) has ended: \(why.rawValue)")
    case .switchboard: break
    }
  }
}
