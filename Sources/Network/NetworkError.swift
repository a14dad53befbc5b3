internal import CLibUV
public import Cryptography

/// Why something on the network did not work. Holds no name and no address.
public enum NetworkError: Error, Hashable, Sendable {
  case addressInUse
  case addressNotAvailable
  case notPermitted
  case refused
  case unreachable
  case reset
  case timedOut
  /// More than a limit of this module allows.
  case limitReached
  case closed
  /// Handshake, certificate or record: what TLS says.
  case tls(TLSError)
  /// The name, or records of the type, do not exist.
  case nameNotFound
  /// The name server gave no usable answer.
  case resolverFailed
  /// A code of the system that nothing here treats apart, by its name.
  case system(String)

  init(uv status: Int32) {
    self =
      switch uv_errno_t(rawValue: status) {
      case UV_EADDRINUSE: .addressInUse
      case UV_EADDRNOTAVAIL: .addressNotAvailable
      case UV_EACCES, UV_EPERM: .notPermitted
      case UV_ECONNREFUSED: .refused
      case UV_EHOSTUNREACH, UV_ENETUNREACH, UV_EHOSTDOWN: .unreachable
      case UV_ECONNRESET, UV_EPIPE, UV_ECONNABORTED, UV_ENOTCONN: .reset
      case UV_ETIMEDOUT: .timedOut
      case UV_EMFILE, UV_ENFILE, UV_ENOMEM, UV_ENOBUFS: .limitReached
      case UV_ECANCELED: .closed
      default: .system(unsafe String(cString: uv_err_name(status)))
      }
  }
}
