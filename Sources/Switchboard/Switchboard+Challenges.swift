import Primitives
import SIP
import Store

/// A challenge to a request of ours inside a dialog (RFC 3261 §22.2).
extension Switchboard {
  /// The request once more, with the credentials of the realm that the account is registered in, and only where the call came from its
  /// provider: a digest goes to nobody else. Each request answers one challenge; empty where it is not answered.
  mutating func answerChallenge(_ id: CallID, _ response: Response, to method: Method) -> [Action] {
    guard let talk = calls[id]?.talk, !talk.hasAnsweredChallenge, method == .bye || !talk.isEnded else { return [] }
    let answers = digests(for: id, response, method)
    guard !answers.isEmpty else { return [] }
    calls[id]?.talk?.hasAnsweredChallenge = true
    let write: (inout MessageBuilder) -> Void = { builder in
      for (name, value) in answers { builder.append(name, value) }
    }
    guard method != .bye else { return send(id, .bye, write: write) }
    guard let refresh = calls[id]?.talk?.timer.requestStarted(method) else { return [] }
    return sendRefresh(id, refresh, write: write)
  }

  private mutating func digests(for id: CallID, _ response: Response, _ method: Method) -> [(HeaderName, Bytes)] {
    guard let call = calls[id], let talk = call.talk, let account = accounts[call.account],
      providers.isProvider(call.flow.remote.ip, of: call.account)
    else { return [] }
    let username = account.registration.settings.username
    let body = method == .invite ? talk.said : []
    return Digest.choose(from: DigestChallenge.all(in: response), with: account.registration.credentials).map { choice in
      var session = DigestSession(choice, username: username, cnonce: random.token(16))
      return (session.header, session.authorization(method: method, uri: talk.dialog.target, body: body))
    }
  }
}
