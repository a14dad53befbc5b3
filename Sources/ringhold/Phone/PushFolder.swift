import Cryptography
import Demo
import Glibc
import Node
import Primitives

/// The folder with what the phone's own push service and the server know of each other. It is kept, so that the phone can be started
/// again under a server that runs on.
struct PushFolder {
  let path: String

  private var certificate: String { path + "/push-ca.pem" }
  private var authorityKey: String { path + "/push-ca.key" }
  private var tokenKey: String { path + "/push-token.p8" }

  init(_ path: String) {
    self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
  }

  /// Reads what is there, or makes it.
  func identity() throws -> PushIdentity {
    unsafe mkdir(path, 0o700)
    guard unsafe access(certificate, F_OK) == 0 else { return try make() }
    do {
      let authority = try CertificateAuthority(
        certificatePEM: try InputFile.read(certificate), keyPEM: try InputFile.read(authorityKey))
      return PushIdentity(authority: authority, keyPEM: try InputFile.read(tokenKey))
    } catch is CertificateError {
      throw InputError("\(certificate): it is no certificate of an authority, or \(authorityKey) is not its key")
    }
  }

  private func make() throws -> PushIdentity {
    let identity = try PushIdentity.make()
    try SecretFile.make(authorityKey, identity.authority.keyPEM)
    try SecretFile.make(tokenKey, identity.keyPEM)
    try SecretFile.make(certificate, identity.authority.certificatePEM)
    return identity
  }

  /// What the server's configuration needs.
  func configuration(keyID: String, teamID: String, url: String) -> String {
    """
    push:
      apns: {key: \(quoted(tokenKey)), key_id: \(keyID), team_id: \(teamID), url: "\(url)", ca: \(quoted(certificate))}
    """
  }

  /// The server looks for a relative path beside its configuration.
  private func quoted(_ file: String) -> String { "\"\(absolute(file))\"" }

  private func absolute(_ file: String) -> String {
    guard let resolved = unsafe realpath(file, nil) else { return file }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }
}
