public import PhoneContract

extension PhoneClient {
  /// Sets the phone up with a password, which never leaves it: asks what the registrar wants, and sends the HA1 that answer it.
  /// - Parameters:
  ///   - target: the account.
  ///   - authUser: as whom the registrar knows the user, where that is another name.
  ///   - expires: seconds that are asked of the registrar.
  /// - Throws: beside what a probe and a set-up throw `noCommonDigest`.
  public func setUp(
    _ target: ProbeBody.Target, authUser: String? = nil, password: String, expires: Int? = nil, push: PushBody, name: String? = nil,
    mode: DeviceMode = .ring, takeSlotOf: String? = nil
  ) async throws(PhoneError) -> SetUpState {
    let asked = try await probe(target)
    let credentials = try CredentialBody.answers(
      to: asked.challenges, user: authUser ?? target.user, password: password, domain: target.domain ?? target.registrar)
    let account = AccountBody(
      registrar: target.registrar, user: target.user, domain: target.domain, authUser: authUser, credentials: credentials,
      transport: target.transport, outboundProxy: target.outboundProxy, expires: expires)
    return try await setUp(account, push: push, name: name, mode: mode, takeSlotOf: takeSlotOf)
  }
}
