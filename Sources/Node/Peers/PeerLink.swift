import Core
import Cryptography
import Endpoints
import HTTP
import Network
import Primitives
import Store

/// The way to one peer: one HTTP/2 connection, made when there is something to say, and made anew after it was lost.
@LoopActor
final class PeerLink {
  let address: SocketAddress
  /// For the next connection.
  var tls: TLSContext
  private let node: NodeID
  private let own: NodeID
  private let limits: PeerLimits
  private let onEvent: @LoopActor (PeerEvent) -> Void
  private let onUntrusted: @LoopActor (TLSError) -> Void
  /// Why it is not trusted, once that has been said.
  private var untrusted: TLSError?
  private var client: HTTPClient?
  private var underWay = 0
  private var isKnocking = false

  init(
    to node: NodeID, at address: SocketAddress, from own: NodeID, tls: TLSContext, limits: PeerLimits,
    onEvent: @escaping @LoopActor (PeerEvent) -> Void, onUntrusted: @escaping @LoopActor (TLSError) -> Void
  ) {
    self.node = node
    self.address = address
    self.own = own
    self.tls = tls
    self.limits = limits
    self.onEvent = onEvent
    self.onUntrusted = onUntrusted
  }

  // MARK: Whether it lives

  /// The answer, or that there was none, is an event.
  func greet(_ greeting: Greeting) {
    let client = connected()
    post(.greet, greeting.record, within: limits.answer, over: client) { [weak self, weak client] result in
      guard let self, let client, self.client === client else { return }
      switch result {
      case .success(let response): greeted(response, client)
      // A peer that stops in good order listens no more and still answers over the connection that it has: that one is left alone.
      case .failure(.notProcessed(.noConnection(.refused))): onEvent(.refused(node))
      case .failure(let error):
        if case .notProcessed(.noConnection(.tls(let why))) = error { distrust(why) }
        lose(client)
      }
    }
  }

  private func distrust(_ why: TLSError) {
    guard untrusted != why else { return }
    untrusted = why
    onUntrusted(why)
  }

  private func greeted(_ response: HTTPResponse, _ client: HTTPClient) {
    guard let answer = response.answer(Greeting.self), answer.holder.map({ $0.node == node }) ?? true else {
      return lose(client)
    }
    untrusted = nil
    onEvent(.heard(node, answer))
  }

  /// Only a refusal says anything: a time-out or an unreachable host may be the network's fault.
  func knock() {
    guard !isKnocking else { return }
    isKnocking = true
    Connector.connect(to: address, timeout: limits.answer) { [weak self] result in
      if case .success(let stream) = result { stream.abort() }
      guard let self else { return }
      isKnocking = false
      if case .failure(.refused) = result { onEvent(.refused(node)) }
    }
  }

  private func connected() -> HTTPClient {
    if let client { return client }
    let origin = HTTPOrigin(scheme: .https, host: node.name, port: address.port)
    let client = HTTPClient(origin: origin, tls: tls, address: address, limits: limits.client)
    client.onConnectionLost = { [weak self, weak client] in
      guard let self, let client else { return }
      lose(client)
    }
    self.client = client
    return client
  }

  /// Once for each connection. What waits for an answer over it fails at once, so that it can go to somebody who lives.
  private func lose(_ client: HTTPClient) {
    guard self.client === client else { return }
    close()
    onEvent(.lost(node))
  }

  /// What is under way fails.
  func close() {
    let client = client
    self.client = nil
    client?.abort()
  }

  // MARK: Requests

  func renew(_ holder: Holder, _ completion: @escaping @LoopActor (Result<RenewalOutcome, PeerFailure>) -> Void) {
    post(.renew, holder.record, within: limits.answer, over: connected()) {
      completion(Self.read(RenewalAnswer.self, $0).map(\.outcome))
    }
  }

  /// Fire and forget: whoever is to have the accounts finds them in any case.
  func handed(_ accounts: [AccountID]) {
    for start in stride(from: 0, to: accounts.count, by: HandedAccounts.most) {
      let part = HandedAccounts(Array(accounts[start...].prefix(HandedAccounts.most)))
      post(.handed, part.record, within: limits.answer, over: connected()) { _ in }
    }
  }

  /// Asks for what may take long. At most `PeerLimits.underWay` are under way.
  func ask<Answer: RecordCodable>(
    _ route: PeerRoute, _ question: some RecordCodable, for answer: Answer.Type, within limit: Duration,
    _ completion: @escaping @LoopActor (Result<Answer, PeerFailure>) -> Void
  ) -> HTTPClientCall {
    guard underWay < limits.underWay else {
      completion(.failure(.notProcessed))
      return HTTPClientCall { true }
    }
    underWay += 1
    let place = Place { [weak self] in self?.underWay -= 1 }
    let call = post(route, question.record, within: limit, over: connected()) { result in
      place.leave()
      completion(Self.read(answer, result))
    }
    let abandon: @LoopActor () -> Void = {
      place.leave()
      call.abandon()
    }
    return HTTPClientCall(abandoning: abandon) { call.withdraw() }
  }

  /// Given back once, by the answer or by whoever gives up.
  private final class Place {
    private var giveBack: (@LoopActor () -> Void)?

    init(_ giveBack: @escaping @LoopActor () -> Void) { self.giveBack = giveBack }

    @LoopActor func leave() {
      giveBack?()
      giveBack = nil
    }
  }

  /// Whatever status but 200 comes, nothing was done: then no handler has taken the request.
  private static func read<Answer: RecordCodable>(
    _ answer: Answer.Type, _ result: Result<HTTPResponse, HTTPClientError>
  ) -> Result<Answer, PeerFailure> {
    switch result {
    case .failure(let error): return .failure(PeerFailure(error))
    case .success(let response) where response.status != 200: return .failure(.notProcessed)
    case .success(let response):
      guard let value = response.answer(answer) else { return .failure(.unknown) }
      return .success(value)
    }
  }

  @discardableResult
  private func post(
    _ route: PeerRoute, _ body: Bytes, within limit: Duration, over client: HTTPClient,
    _ completion: @escaping @LoopActor (Result<HTTPResponse, HTTPClientError>) -> Void
  ) -> HTTPClientCall {
    let fields: HTTPFields = [PeerRoute.nodeField: own.name, "content-type": "application/octet-stream"]
    let request = HTTPRequest(method: "POST", authority: "", path: route.path, fields: fields, body: body)
    return client.send(request, timeout: limit, completion: completion)
  }
}

extension HTTPResponse {
  /// What the record in the body says; nil where there is none.
  fileprivate func answer<Answer: RecordCodable>(_ type: Answer.Type) -> Answer? {
    status == 200 ? try? Answer(record: body) : nil
  }
}
