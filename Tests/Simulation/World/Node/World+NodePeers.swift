import Core
import HTTP
import Primitives
import SIP
import Store
import Switchboard

/// A node's links to the others: HTTP/2, one connection each, made when there is something to say.
extension World {
  private static let answerLimit = Duration.seconds(1)

  func index(of node: NodeID) -> Int? { indexOfNode[node] }

  // MARK: Asking

  /// These are the peers, and no others.
  mutating func greet(_ members: [Member], _ greeting: Greeting, at index: Int) {
    let peers = members.map(\.holder.node).filter { $0 != nodes[index].id }
    for gone in nodes[index].links.keys.sorted() where !peers.contains(gone) { loseLink(gone, isTold: false, at: index) }
    for peer in peers {
      if nodes[index].links[peer] == nil { nodes[index].links[peer] = PeerLine() }
      ask(peer, .greet(greeting), .greet, within: Self.answerLimit, at: index)
    }
  }

  mutating func ask(_ peer: NodeID, _ ask: PeerAsk, _ back: OpenAsk.Back, within limit: Duration, at index: Int) {
    guard nodes[index].links[peer] != nil, let wire = link(to: peer, at: index) else {
      return tell(back, peer, .failure(.notProcessed), at: index)
    }
    let id = nodes[index].nextID()
    nodes[index].asks[id] = OpenAsk(peer: peer, wire: wire, ask: ask, back: back)
    queue.add(.nodeTimer(index, life: nodes[index].life, .ask(id)), at: now + limit)
    if nodes[index].links[peer]?.isUp == true { transmit(id, at: index) } else { nodes[index].links[peer]?.waiting.append(id) }
  }

  private mutating func transmit(_ id: UInt64, at index: Int) {
    guard let open = nodes[index].asks[id] else { return }
    nodes[index].asks[id]?.isSent = true
    send(.peerAsks(id, open.ask), over: open.wire, fromServer: false)
  }

  private mutating func link(to peer: NodeID, at index: Int) -> Int? {
    if let wire = nodes[index].links[peer]?.wire { return wire }
    guard let other = self.index(of: peer) else { return nil }
    let wire = open(.node(index), .node(other))
    nodes[index].links[peer] = PeerLine(wire: wire)
    send(.hello, over: wire, fromServer: false)
    queue.add(.nodeTimer(index, life: nodes[index].life, .link(wire: wire)), at: now + Self.answerLimit)
    return wire
  }

  mutating func knock(_ peer: NodeID, at index: Int) {
    guard let other = self.index(of: peer) else { return }
    send(.knock, over: open(.node(index), .node(other)), fromServer: false)
  }

  // MARK: Links

  private func peer(on wire: Int) -> NodeID? { wires[wire].server.node.map { nodes[$0].id } }

  mutating func linkIsUp(_ wire: Int, at index: Int) {
    guard let peer = peer(on: wire), nodes[index].links[peer]?.wire == wire else { return }
    nodes[index].links[peer]?.isUp = true
    let waiting = nodes[index].links[peer]?.waiting ?? []
    nodes[index].links[peer]?.waiting = []
    for id in waiting { transmit(id, at: index) }
  }

  /// It could not be made in time: what waits for it has not been said.
  mutating func linkTimer(_ wire: Int, at index: Int) {
    guard let peer = peer(on: wire), let link = nodes[index].links[peer], link.wire == wire, !link.isUp else { return }
    loseLink(peer, isTold: true, at: index)
  }

  mutating func linkRefused(_ wire: Int, at index: Int) {
    guard let peer = peer(on: wire) else { return }
    guard nodes[index].links[peer]?.wire == wire else {
      // A knock.
      return feed(index) { $0.peer(.refused(peer), now: $1) }
    }
    nodes[index].links[peer] = PeerLine()
    for id in openAsks(on: wire, at: index) { fail(id, .notProcessed, isRefused: true, at: index) }
  }

  mutating func linkEnded(_ wire: Int, at index: Int) {
    guard let peer = peer(on: wire), nodes[index].links[peer]?.wire == wire else { return }
    loseLink(peer, isTold: true, at: index)
  }

  private mutating func loseLink(_ peer: NodeID, isTold: Bool, at index: Int) {
    guard let link = nodes[index].links[peer] else { return }
    nodes[index].links[peer] = isTold ? PeerLine() : nil
    if let wire = link.wire {
      close(wire, atServer: false)
      for id in openAsks(on: wire, at: index) { fail(id, nodes[index].asks[id]?.isSent == true ? .gone : .notProcessed, at: index) }
    }
    if isTold { feed(index) { $0.peer(.lost(peer), now: $1) } }
  }

  private func openAsks(on wire: Int, at index: Int) -> [UInt64] {
    nodes[index].asks.filter { $0.value.wire == wire }.keys.sorted()
  }

  private mutating func fail(_ id: UInt64, _ failure: PeerFailure, isRefused: Bool = false, at index: Int) {
    guard let open = nodes[index].asks.removeValue(forKey: id) else { return }
    if case .greet = open.back {
      if isRefused { feed(index) { $0.peer(.refused(open.peer), now: $1) } }
      return
    }
    tell(open.back, open.peer, .failure(failure), at: index)
  }

  // MARK: Answers

  mutating func peerSaid(_ id: UInt64, _ word: PeerWord, at index: Int) {
    guard let open = nodes[index].asks.removeValue(forKey: id) else { return }
    tell(open.back, open.peer, .success(word), at: index)
  }

  private mutating func tell(_ back: OpenAsk.Back, _ peer: NodeID, _ result: Result<PeerWord, PeerFailure>, at index: Int) {
    switch back {
    case .greet:
      guard case .success(.greeting(let greeting)) = result else { return feed(index) { $0.peer(.lost(peer), now: $1) } }
      feed(index) { $0.peer(.heard(peer, greeting), now: $1) }
    case .renew(let holder, let sentAt):
      feed(index) { $0.renewalAnswered(holder, sentAt: sentAt, result.map { $0.renewal ?? .storeFailed }, now: $1) }
    case .forward(let request):
      let answer = result.flatMap { word in word.response.map { .success($0) } ?? .failure(.notProcessed) }
      feed(index) { $0.forwardAnswered(request, answer, now: $1) }
    case .pass(let transaction): feed(index) { $0.passAnswered(transaction, result.map(\.bytes), now: $1) }
    case .handed: break
    }
  }

  /// It has waited long enough. A peer that does not answer a greeting is lost.
  mutating func askTimer(_ id: UInt64, at index: Int) {
    guard let open = nodes[index].asks[id] else { return }
    if case .greet = open.back { return loseLink(open.peer, isTold: true, at: index) }
    nodes[index].asks[id] = nil
    if open.isSent { send(.peerAbandons(id), over: open.wire, fromServer: false) }
    nodes[index].links[open.peer]?.waiting.removeAll { $0 == id }
    tell(open.back, open.peer, .failure(open.isSent ? .unknown : .notProcessed), at: index)
  }

  /// Nobody waits for it any more.
  mutating func abandon(_ request: PhoneRequestID, at index: Int) {
    let found = nodes[index].asks.first { if case .forward(request) = $0.value.back { true } else { false } }
    guard let (id, open) = found else { return }
    nodes[index].asks[id] = nil
    if open.isSent { send(.peerAbandons(id), over: open.wire, fromServer: false) }
    nodes[index].links[open.peer]?.waiting.removeAll { $0 == id }
  }

  // MARK: Being asked

  mutating func peerAsks(_ id: UInt64, _ ask: PeerAsk, _ wire: Int, at index: Int) {
    guard let other = wires[wire].client.node else { return }
    let peer = nodes[other].id
    switch ask {
    case .greet(let greeting):
      let answer = nodes[index].core.greeted(greeting, by: peer, now: now)
      send(.peerSays(id, .greeting(answer)), over: wire, fromServer: true)
    case .renew(let holder):
      let question = note(wire, id, at: index)
      feed(index) { $0.renew(holder, for: question, now: $1) }
    case .pass(let message):
      let question = note(wire, id, at: index)
      feed(index) { $0.passed(message, question, now: $1) }
    case .phone(let asked):
      let request = nodes[index].nextID()
      nodes[index].visits[request] = SimNode.Visit(wire: wire, cameAt: now, ask: id, isBegun: true)
      feed(index) { $0.phoneOfPeer(asked, PhoneRequestID(request), now: $1) }
    case .handed(let accounts): feed(index) { $0.handed(accounts, now: $1) }
    }
  }

  private mutating func note(_ wire: Int, _ ask: UInt64, at index: Int) -> PeerRequestID {
    let question = nodes[index].nextID()
    nodes[index].peerQuestions[question] = (wire, ask)
    return PeerRequestID(question)
  }

  mutating func answerQuestion(_ question: UInt64, _ word: PeerWord, at index: Int) {
    guard let (wire, ask) = nodes[index].peerQuestions.removeValue(forKey: question) else { return }
    send(.peerSays(ask, word), over: wire, fromServer: true)
  }

  mutating func peerAbandons(_ ask: UInt64, _ wire: Int, at index: Int) {
    let found = nodes[index].visits.first { $0.value.wire == wire && $0.value.ask == ask }
    if let (request, _) = found { visitorGone(request, at: index) }
  }
}

extension PeerWord {
  var renewal: RenewalOutcome? { if case .renewal(let outcome) = self { outcome } else { nil } }
  var response: HTTPResponse? { if case .phone(let response) = self { response } else { nil } }
  var bytes: Bytes? { if case .passed(let bytes) = self { bytes } else { nil } }
}

extension Party {
  var node: Int? { if case .node(let index) = self { index } else { nil } }
  var phone: Int? { if case .phone(let index) = self { index } else { nil } }
  var provider: Int? { if case .provider(let index) = self { index } else { nil } }
}
