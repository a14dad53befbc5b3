import Cryptography
import Endpoints
import Network
import PhoneContract

/// One line for people. It holds no number, name, token or SDP.
extension PhoneError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .problem(let problem): problem.line
    case .unexpected(let status): "the server answered with status \(status), which the contract does not have here"
    case .unusableReply: "the server's reply is not what the contract says"
    case .transport(let error): error.line
    case .unusableKeys: "these are no keys of a phone"
    case .unusableAnnouncement: "the announcement cannot be opened with this phone's keys"
    case .unusableServer: "the server must be https://HOST[:PORT], and what is to be trusted certificates in PEM"
    case .noCommonDigest: "the registrar asks for digests that nobody can answer without the password"
    case .noCommonMedia: "the caller offers no audio that this phone could answer"
    }
  }
}

extension Problem {
  /// Name and title, and what goes with them.
  fileprivate var line: String {
    var line = "the server says \(name.rawValue) (\(status)): \(title)"
    if let pointer { line += ", at \(pointer.isEmpty ? "the whole body" : pointer)" }
    if let sipStatus { line += ", with SIP status \(sipStatus)" }
    if let retryAfter { line += "; worth another try in \(retryAfter) s" }
    return line
  }
}

extension HTTPClientError {
  fileprivate var line: String {
    switch self {
    case .notProcessed(let cause): cause.line
    case .unknown(let cause): cause.line + "; whether the server did it is not known"
    }
  }
}

extension HTTPClientError.Cause {
  fileprivate var line: String {
    switch self {
    case .noConnection(let error): "no connection to the server: \(error.words)"
    case .timedOut: "the server did not answer in time"
    case .ended: "the server ended the connection"
    case .connectionLost: "the connection to the server was lost"
    case .streamReset: "the server broke the request off"
    case .badResponse: "what the server sent is no HTTP, or too much of it"
    case .badRequest: "the request cannot be sent as it is"
    case .queueFull: "too many requests wait already"
    case .closed: "the connection is closed"
    }
  }
}

extension NetworkError {
  fileprivate var words: String {
    switch self {
    case .addressInUse: "the address is in use"
    case .addressNotAvailable: "the address is none of this machine"
    case .notPermitted: "not permitted"
    case .refused: "refused"
    case .unreachable: "unreachable"
    case .reset: "reset"
    case .timedOut: "no answer"
    case .limitReached: "a limit of this machine is reached"
    case .closed: "closed"
    case .tls(let error): error.words
    case .nameNotFound: "its name is not known"
    case .resolverFailed: "the name servers do not answer"
    case .system(let name): name
    }
  }
}

extension TLSError {
  fileprivate var words: String {
    switch self {
    case .certificate(.unknownAuthority): "its certificate comes from nobody who is trusted here"
    case .certificate(.wrongName): "its certificate is for another name"
    case .certificate(.expired): "its certificate has expired"
    case .certificate(.notYetValid): "its certificate is not valid yet"
    case .notTLS: "it does not speak TLS there"
    case .noCommonProtocol, .noCommonVersion, .noCommonCipher: "no version of TLS or HTTP in common"
    default: "TLS failed, \(self)"
    }
  }
}
