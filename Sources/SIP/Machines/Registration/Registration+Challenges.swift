public import Primitives

extension Registration {
  /// Answers to the challenges of a 401 or 407 to another request of the account (a BYE, a re-INVITE): header fields for the same
  /// request with the next CSeq. Empty where none fits. Only the account's own realms are answered; that the response came from the
  /// registrar's side and from nobody else is for the caller to know.
  public mutating func authorizations(
    answering response: Response, method: Method, uri: some Collection<UInt8>, body: some Collection<UInt8> = Bytes()
  ) -> [(HeaderName, Bytes)] {
    Digest.choose(from: DigestChallenge.all(in: response), with: credentials).map { choice in
      var session = DigestSession(choice, username: settings.username, cnonce: random.token(16))
      return (session.header, session.authorization(method: method, uri: uri, body: body))
    }
  }
}
