import Endpoints
import Network
import PhoneContract
import Primitives
import SIP
import Store
import Switchboard

/// SIP requests for calls of other nodes: passed to the call's home, its answer passed back.
extension Exchange {
  /// Asks every other home of the account, one after the other, until one knows the call.
  func seek(_ account: AccountID, _ request: Request, _ id: ServerTransactionID, _ flow: Flow) {
    guard let cluster, passed[id] == nil else { return feed { switchboard, _ in switchboard.nobodyHas(request, id) } }
    store.perform(.whereabouts(account)) { [self] reply in
      guard case .whereabouts(let found) = reply else { return nobodyHas(request, id) }
      let homes = Set(found.calls.map(\.home.node)).subtracting([cluster.node]).sorted()
      pass(PassedMessage(message: request.message.raw, flow: flow.record), to: homes[...], request, id)
    }
  }

  private func pass(_ message: PassedMessage, to homes: ArraySlice<NodeID>, _ request: Request, _ id: ServerTransactionID) {
    guard let home = homes.first, let links = cluster?.links else { return nobodyHas(request, id) }
    links.pass(message, to: home) { [self] result in
      guard case .success(let bytes?) = result, case .response(let response)? = try? MessageParser.parse(bytes), response.status != 481
      else {
        return request.method == .ack ? () : pass(message, to: homes.dropFirst(), request, id)
      }
      sip.respond(to: id, with: response)
    }
  }

  private func nobodyHas(_ request: Request, _ id: ServerTransactionID) {
    feed { switchboard, _ in switchboard.nobodyHas(request, id) }
  }

  /// A peer has a request for a call that may be at home here; nil: there is no answer to it.
  func take(_ message: PassedMessage, _ completion: @escaping @LoopActor (Bytes?) -> Void) {
    guard case .request(let request)? = try? MessageParser.parse(message.message), let flow = try? Flow(record: message.flow),
      let id = try? ServerTransactionID(request), passed[id] == nil
    else { return completion(nil) }
    if request.method == .ack { completion(nil) } else { passed[id] = completion }
    let event: TransactionLayer.Event =
      request.method == .cancel ? .cancel(of: id.ofInvite, request, id) : .request(request, id, from: flow)
    feed { $0.provider(event, now: $1) }
    _ = Loop.after(.seconds(32)) { [weak self] in self?.passed.removeValue(forKey: id)?(nil) }
  }
}

extension Switchboard.Action {
  /// Whether others may take it for the word of whoever owns the account or has the call.
  var isInOurName: Bool {
    switch self {
    case .respond, .send, .register, .announce, .stop: true
    default: false
    }
  }
}
