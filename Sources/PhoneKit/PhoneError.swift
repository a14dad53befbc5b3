public import Endpoints
public import PhoneContract

/// Why a phone did not get what it asked for.
public enum PhoneError: Error, Hashable, Sendable {
  /// The server said no, in the words of the contract.
  case problem(Problem)
  /// A status that the contract does not know for this request.
  case unexpected(status: Int)
  /// A reply that is not what the contract says.
  case unusableReply
  case transport(HTTPClientError)
  case unusableKeys
  case unusableAnnouncement
  /// No `https://host[:port]`, or its TLS cannot be set up.
  case unusableServer
  /// The registrar asks only for digests that no HA1 can be given for.
  case noCommonDigest
  /// An offer in which nothing is that the phone could answer.
  case noCommonMedia
}
