import Primitives
import SIP
import Store

/// A request of ours inside a dialog that is sent once more, with what it lacked.
extension Switchboard {
  /// After a challenge (RFC 3261 §22.2), with the credentials of the realm that the account is registered in, and only where the call came from its
  /// provider: a digest goes to nobody else. Each request answers one challenge; empty where it is not answered.
  mutating func answerChallenge(_ id: CallID, _ response: Response, to method: Method) -> [Action] {
    guard let talk = calls[id]?.talk, !talk.hasAnsweredChallenge, method == .bye || !talk.isEnded else { return [] }
    let answers = digests(for: id, response, method)
    guard !answers.isEmpty else { return [] }
    calls[id]?.talk?.hasAnsweredChallenge = true
    let write: (inout MessageBuilder) -> Void = { builder in
      for (name, value) in answers { builder.append(name, value) }
    }
    return sendAgain(id, method, talk, write: write)
  }

  /// After a 500 that names no time, with a higher number: homes whose records were lost have used the one that it had.
  mutating func leap(_ id: CallID, _ response: Response, to method: Method) -> [Action] {
    guard response.status == 500, response.retryAfter == nil, let talk = calls[id]?.talk, !talk.hasLeapt,
      method == .bye || !talk.isEnded
    else { return [] }
    calls[id]?.talk?.hasLeapt = true
    calls[id]?.talk?.dialog.wasBehind()
    return sendAgain(id, method, talk)
  }

  private mutating func sendAgain(
    _ id: CallID, _ method: Method, _ talk: Talk, write: (inout MessageBuilder) -> Void = { _ in }
  ) -> [Action] {
    guard method == .update || method == .invite else { return send(id, method, write: write) }
    return sendRefresh(id, talk.timer.fields(of: method), write: write)
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
