import PhoneContract
import Primitives
import SIP
import Store

@testable import Switchboard

/// Events at random, from a seed.
struct Story {
  var stage: Stage
  private var random: SeededRandom
  private var calls = 0

  init(seed: UInt64, stage: Stage) {
    random = SeededRandom(seed: seed)
    self.stage = stage
  }

  init(seed: UInt64, isWriting: Bool = false) {
    random = SeededRandom(seed: seed)
    stage = Stage(
      answeredCalls: Int.random(in: 1...2, using: &random), slots: Int.random(in: 2...4, using: &random),
      whenFull: Bool.random(using: &random) ? .refuse : .replaceOldest, seed: seed)
    stage.isWriting = isWriting
  }

  /// Plays the whole story, to its end; gives the rules that it broke. `happen` comes after each step.
  mutating func play(steps: Int, _ happen: (inout Stage) throws -> Void = { _ in }) throws -> [String] {
    for name in ["a", "b", "c"].prefix(Int.random(in: 1...3, using: &random)) { stage.setUp(name) }
    for _ in 0..<steps {
      try step()
      try happen(&stage)
      stage.check()
      guard stage.ledger.breaches.isEmpty else { return stage.ledger.breaches }
    }
    return stage.finish()
  }

  private mutating func step() throws {
    switch Int.random(in: 0..<100, using: &random) {
    case ..<7: try invite()
    case ..<35: try caller()
    case ..<75: phone()
    case ..<85: stage.wait(.milliseconds(Int64.random(in: 0...7000, using: &random)))
    case ..<87: stage.wait(.seconds(Int64.random(in: 10...70, using: &random)))
    case ..<94: surroundings()
    default: channel()
    }
  }

  private mutating func chance(_ oneIn: Int) -> Bool { Int.random(in: 0..<oneIn, using: &random) == 0 }
  private mutating func call() -> String { "\(Int.random(in: max(1, calls - 2)...max(1, calls), using: &random))" }

  /// Mostly one that is set up.
  private mutating func device() -> String {
    let known = stage.board.accounts[Stage.account]?.account.devices.randomElement(using: &random)
    guard let known, !chance(8) else { return ["a", "b", "c", "d"].randomElement(using: &random) ?? "a" }
    return stage.name(known.id)
  }

  private mutating func line() -> Line { chance(3) ? .two : .one }

  // MARK: The provider

  private mutating func invite() throws {
    var what = Stage.Invitation()
    if chance(6) { what.sdp = nil }
    if chance(5) { what.fields = [("Supported", "timer"), ("Session-Expires", "90"), ("Allow", "INVITE, UPDATE")] }
    if chance(12) { what.fields.append(("Require", "foo")) }
    if calls > 0, chance(6) { what.copyOf = call() }
    calls += 1
    try stage.invite("\(calls)", what)
  }

  private mutating func caller() throws {
    let call = call()
    switch Int.random(in: 0..<14, using: &random) {
    case ..<2: try stage.cancel(call, fields: chance(3) ? [("Reason", "SIP;cause=200")] : [])
    case ..<6: try stage.ack(call, sdp: chance(4) ? Leg.sdp("caller") : nil)
    case 6: try stage.request("BYE", call)
    case 7: try stage.request("INVITE", call, body: chance(3) ? nil : Leg.sdp("caller", version: chance(3) ? 2 : 1))
    case 8: try stage.ack(call, cseq: Int.random(in: 2...4, using: &random))
    case 9: try stage.request(chance(2) ? "UPDATE" : "OPTIONS", call, cseq: chance(5) ? 1 : nil)
    case 10: stage.repeatInvite(call)
    case 11:
      stage.reply(407, call, fields: [(.proxyAuthenticate, "Digest realm=\"example.net\", nonce=\"n1\", qop=\"auth\"")])
    default: stage.reply([200, 200, 481, 491, 500, 100].randomElement(using: &random) ?? 200, call)
    }
  }

  // MARK: The phones

  private mutating func phone() {
    let (name, line) = (device(), line())
    let sdp = Leg.sdp("phone-\(name)")
    switch Int.random(in: 0..<40, using: &random) {
    case ..<10: stage.phone(name, .fetch(line, chance(5) ? .early : .answer))
    case ..<20: stage.phone(name, .answer(line, sdp: sdp, confirm: !chance(5)))
    case ..<22: stage.phone(name, .confirm(line))
    case ..<24: stage.phone(name, .decline)
    case ..<30: stage.phone(name, .status(line, after: chance(2) ? 0 : 1, wait: Int.random(in: 0...25, using: &random)))
    case ..<33: stage.phone(name, .hangUp(line))
    case ..<35: stage.gone(name)
    case 35: stage.phone(name, .removeSetUp)
    case 36: stage.phone(name, .removeDevice(id: Stage.device(device()).text))
    case 37: stage.phone(name, .setPush(.apns(token: chance(4) ? "aa" : Hex.encode(random.bytes(4)), topic: "t", environment: .production)))
    default: setUp(name)
    }
  }

  private mutating func setUp(_ name: String) {
    var what = Stage.SettingUp()
    if chance(4) { what.password = ["right", "wrong", "new"].randomElement(using: &random) ?? "right" }
    if chance(4) { what.token = "token-\(device())" }
    if chance(5) { what.takeSlotOf = device() }
    stage.setUp(name, what)
  }

  // MARK: What is around

  private mutating func surroundings() {
    switch Int.random(in: 0..<7, using: &random) {
    case 0:
      stage.isStoreSlow = true
      stage.tell("store slow")
    case 1...2:
      stage.tell("store prompt")
      stage.isStoreSlow = false
      stage.storeReplies()
    case 3: stage.storeReplies(1)
    case 4: stage.perform(stage.board.connectionLost(Stage.account, now: stage.now))
    default: registrar()
    }
    stage.settle()
  }

  private mutating func registrar() {
    stage.registrar.mood = [.strict, .strict, .open, .silent, .refusing(403), .refusing(500)].randomElement(using: &random) ?? .strict
    stage.registrar.rightPassword = chance(4) ? "new" : "right"
  }

  private mutating func channel() {
    switch Int.random(in: 0..<6, using: &random) {
    case 0: stage.isChannelSlow.toggle()
    case 1: stage.isChannelStubborn.toggle()
    case 2: stage.deadDevices = chance(2) ? [] : [Stage.device(device())]
    default:
      guard let push = stage.underWay.randomElement(using: &random) else { return }
      stage.pushEnded(push.device, [.announced, .announced, .notSent, .tokenGone].randomElement(using: &random) ?? .announced)
    }
  }
}
