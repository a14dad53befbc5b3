import Cryptography
import PhoneContract
import SIP
import Switchboard

/// The log takes no text that is made at run time: so each word stands here once more.
extension EndReason {
  var word: StaticString {
    switch self {
    case .hungUp: "hung-up"
    case .statusLost: "status-lost"
    case .sessionExpired: "session-expired"
    case .error: "error"
    }
  }
}

extension RegistrationStatus.State {
  var word: StaticString {
    switch self {
    case .registering: "registering"
    case .registered: "registered"
    case .credentialsNeeded: "credentials-needed"
    case .rejected: "rejected"
    case .unreachable: "unreachable"
    }
  }
}

extension Note.Rejection {
  var word: StaticString {
    switch self {
    case .unknownAccount: "unknown account"
    case .foreignAddress: "foreign address"
    case .badExtension: "unknown extension required"
    case .malformed: "malformed"
    case .busy: "busy"
    case .merged: "merged"
    case .intervalTooSmall: "session interval too small"
    case .unsupportedBody: "unsupported body"
    case .overloaded: "overloaded"
    }
  }
}

extension TLSError {
  /// Of a handshake that failed.
  var word: StaticString {
    switch self {
    case .certificate(.unknownAuthority): "unknown-authority"
    case .certificate(.expired): "expired"
    case .certificate(.notYetValid): "not-yet-valid"
    case .certificate(.revoked): "revoked"
    case .certificate(.wrongName): "wrong-name"
    case .certificate(.other): "unusable-certificate"
    case .alert: "refused-by-peer"
    case .noCommonProtocol, .noCommonVersion, .noCommonCipher, .notTLS: "nothing-in-common"
    default: "broken"
    }
  }
}
