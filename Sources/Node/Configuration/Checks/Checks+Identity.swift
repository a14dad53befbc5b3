import Primitives

extension Checks {
  /// Certificates that end sooner are told of.
  static let soon = Duration.seconds(14 * 86_400)

  func identity(_ subject: String, _ identity: Identity?, naming name: String) -> [Finding] {
    guard let identity else {
      return [.warning(subject, "none is given: one is made at each start, which only a phone that is told to trusts")]
    }
    do {
      let (chain, key) = (try identity.certificate.read(), try identity.key.read())
      return [certificate(subject, chain, key, name)] + privacy(identity.key)
    } catch {
      return [.unreadable(error)]
    }
  }

  private func certificate(_ subject: String, _ chain: Bytes, _ key: Bytes, _ name: String) -> Finding {
    let now = tools.now()
    guard let certificate = tools.certificate(chain, key, name) else { return .error(subject, "the certificate or its key is no PEM") }
    guard certificate.fitsKey else { return .error(subject, "the key is not the certificate's") }
    guard certificate.notBefore <= now else { return .error(subject, "it is not valid yet") }
    guard certificate.notAfter > now else { return .error(subject, "it has expired") }
    guard certificate.coversName else { return .error(subject, "it does not name \(name)") }
    let days = (certificate.notAfter - now).components.seconds / 86_400
    let text = "names \(name), valid for \(days) more days"
    return certificate.notAfter - now < Self.soon ? .warning(subject, text) : .ok(subject, text)
  }

  func privacy(_ key: ConfiguredFile) -> [Finding] {
    guard FileContents.isReadableByOthers(key.path) else { return [] }
    return [.warning(key.place.text, "every user of this machine can read \(key.path)")]
  }

  func trust(_ subject: String, _ trust: Trust) -> [Finding] {
    guard case .file(let file) = trust else { return [] }
    do {
      return [tools.isTrustStore(try file.read()) ? .ok(subject, file.path) : .error(subject, "\(file.path) holds no certificate")]
    } catch {
      return [.unreadable(error)]
    }
  }
}
