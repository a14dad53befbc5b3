public import PhoneContract

/// Set-up.
extension PhoneClient {
  /// What the registrar asks for, to make the right HA1.
  public func probe(_ account: ProbeBody.Target) async throws(PhoneError) -> ProbeReply {
    try await reply(.probe(ProbeBody(account: account, device: .init(keys: phone.keys))))
  }

  /// Sets this phone up, or changes what was set up.
  public func setUp(
    _ account: AccountBody, push: PushBody, name: String? = nil, mode: DeviceMode = .ring, entitlement: String? = nil,
    takeSlotOf: String? = nil
  ) async throws(PhoneError) -> SetUpState {
    let device = DeviceBody(name: name, mode: mode, keys: phone.keys, push: push)
    return try await reply(.setUp(SetUpBody(account: account, device: device, entitlement: entitlement, takeSlotOf: takeSlotOf)))
  }

  public func state() async throws(PhoneError) -> SetUpState { try await reply(.setUpState) }

  public func setPush(_ push: PushBody) async throws(PhoneError) { try await done(.setPush(push)) }

  /// Takes this phone off the server; its calls end.
  public func remove() async throws(PhoneError) { try await done(.removeSetUp) }

  /// Takes another device of the account off the server.
  public func remove(device id: String) async throws(PhoneError) { try await done(.removeDevice(id: id)) }
}

/// A held call.
extension PhoneClient {
  /// The held call's offer. Waits while another device has claimed the call.
  public func fetch(on line: Line, stage: FetchStage = .answer) async throws(PhoneError) -> FetchReply {
    try await reply(.fetch(line, stage))
  }

  /// The reply comes after the provider's ACK. With `confirm` false the answer is only kept, until `confirm(line)`.
  public func answer(_ sdp: String, on line: Line, confirm: Bool = true) async throws(PhoneError) -> AnswerReply {
    let request = PhoneRequest.answer(line, sdp: sdp, confirm: confirm)
    if confirm { return try await reply(request, timeout: .seconds(45)) }
    try await done(request)
    return AnswerReply(sdp: nil)
  }

  public func confirm(_ line: Line) async throws(PhoneError) -> AnswerReply { try await reply(.confirm(line), timeout: .seconds(45)) }

  public func decline() async throws(PhoneError) { try await done(.decline) }

  /// The call is on the screen; only where the server asks for it.
  public func shown() async throws(PhoneError) { try await done(.shown) }
}

/// During a call.
extension PhoneClient {
  /// The events after `after`, as soon as there is one, or none after `wait` seconds (0 to 25). A call ends 30 s after the last of these.
  public func status(of line: Line, after: Int, wait: Int = 25) async throws(PhoneError) -> StatusReply {
    try await reply(.status(line, after: after, wait: wait), timeout: .seconds(wait + 10))
  }

  /// Offers new SDP to the provider; the reply has his answer.
  public func offer(_ sdp: String, on line: Line) async throws(PhoneError) -> AnswerReply {
    try await reply(.offer(line, sdp: sdp), timeout: .seconds(45))
  }

  public func answerOffer(_ id: String, with sdp: String, on line: Line) async throws(PhoneError) {
    try await done(.answerOffer(line, id: id, sdp: sdp))
  }

  public func refuseOffer(_ id: String, on line: Line) async throws(PhoneError) { try await done(.refuseOffer(line, id: id)) }

  public func send(digits: String, durationMS: Int = 160, on line: Line) async throws(PhoneError) {
    try await done(.dtmf(line, digits: digits, durationMS: durationMS))
  }

  public func hangUp(_ line: Line) async throws(PhoneError) { try await done(.hangUp(line)) }
}

extension PhoneClient {
  private func done(_ request: PhoneRequest) async throws(PhoneError) { _ = try await send(request) }

  private func reply<Reply: Body>(_ request: PhoneRequest, timeout: Duration = .seconds(15)) async throws(PhoneError) -> Reply {
    let body = try await send(request, timeout: timeout)
    guard let reply = try? Reply(json: body) else { throw .unusableReply }
    return reply
  }
}
