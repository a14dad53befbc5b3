import Primitives

extension Checks {
  func push() async -> [Finding] {
    guard let apns = configuration.push.apns else {
      return [.warning("push.apns", "is not given: no iPhone can be told of a call")]
    }
    return key(apns) + trust("push.apns.ca", apns.trust) + (await origin("push.apns.url", apns.url))
  }

  private func key(_ apns: Configuration.Push.APNs) -> [Finding] {
    do {
      let isUsable = tools.isP256Key(try apns.key.read())
      let finding = isUsable ? Finding.ok("push.apns.key", "a key on P-256") : .error("push.apns.key", "no private key on P-256 in PEM")
      return [finding] + ids(apns) + privacy(apns.key)
    } catch {
      return [.unreadable(error)]
    }
  }

  /// Apple's identifiers have ten letters and digits.
  private func ids(_ apns: Configuration.Push.APNs) -> [Finding] {
    [("push.apns.key_id", apns.keyID), ("push.apns.team_id", apns.teamID)].compactMap { subject, id in
      id.utf8.count == 10 ? nil : .warning(subject, "Apple's have ten characters")
    }
  }

  private func origin(_ subject: String, _ origin: Origin?) async -> [Finding] {
    guard let origin, IPAddress(origin.host) == nil else { return [] }
    return await tools.addresses(origin.host).isEmpty
      ? [.error(subject, "\(origin.host) has no address")] : [.ok(subject, "\(origin.host) resolves")]
  }
}
