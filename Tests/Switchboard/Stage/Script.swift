import PhoneContract
import Primitives
import SIP
import Store
import Testing

@testable import Switchboard

/// Plays the commands of a scenario on a stage. A command is words: who or what, what it does, then options (`word`, `name=value`, or
/// a header field `Name:value` with `_` for a space).
struct Script {
  struct Unknown: Error, CustomStringConvertible {
    let command: String
    var description: String { "unknown command: \(command)" }
  }

  var stage = Stage()
  private var copy: MemoryStore?

  /// What comes out of the command.
  mutating func run(_ command: String) throws -> [String] {
    stage.lines = []
    var words = command.split(separator: " ").map(String.init)
    guard !words.isEmpty else { throw Unknown(command: command) }
    let first = words.removeFirst()
    let isPhone = first.count == 1 && first != "?"
    guard try isPhone ? phone(first, Words(words)) : play(first, Words(words)) else { throw Unknown(command: command) }
    stage.ledger.check(stage.board)
    return stage.lines + stage.ledger.breaches.map { "BREACH: \($0)" }
  }

  private mutating func play(_ what: String, _ words: Words) throws -> Bool {
    if try provider(what, words) { return true }
    switch what {
    case "node":
      stage = Stage(
        answeredCalls: words.number("answered-calls") ?? 2, slots: words.number("slots") ?? 4,
        whenFull: words.has("refuse") ? .refuse : .replaceOldest)
    case "nodes": stage = Stage(nodes: words.plain.first.flatMap(Int.init) ?? 2, answeredCalls: words.number("answered-calls") ?? 2)
    case "at", "kill", "pause", "go-on", "takeover", "hand-over", "back", "cut-off", "bindings": node(what, words.plain.first ?? "n1")
    case "phones": phones(words)
    case "wait": stage.wait(.milliseconds(Int64((words.plain.first.flatMap(Double.init) ?? 0) * 1000)))
    case "store": storeCommand(words)
    // Nobody else has renewed it, and somebody may judge it.
    case "in-doubt": stage.board.footing = Footing(renewedAt: .zero, isUndisputed: false)
    case "channel": (stage.isChannelSlow, stage.isChannelStubborn) = (!words.has("prompt"), words.has("stubborn"))
    case "registrar": registrar(words)
    case "connection-lost": stage.perform(stage.board.connectionLost(Stage.account, now: stage.now))
    default: return false
    }
    stage.settle()
    return true
  }

  /// Sets them up, one after the other, with nothing to see.
  private mutating func phones(_ words: Words) {
    for name in words.plain {
      stage.setUp(name)
      stage.wait(.seconds(1))
    }
    stage.lines = []
  }

  private mutating func node(_ what: String, _ name: String) {
    switch what {
    case "kill": stage.kill(name)
    case "pause": stage.pause(name)
    case "go-on": stage.goOn(name)
    case "takeover": stage.takeOver(by: name)
    case "hand-over": stage.handOver(Stage.account, from: name)
    // The connection to the store is there again.
    case "back": stage.perform(stage.board.reassert(now: stage.now))
    case "cut-off": stage.board.storeWent(now: stage.now)
    case "bindings": stage.write(stage.boundNodes.isEmpty ? "none" : stage.boundNodes.joined(separator: " "))
    default: stage.at(name)
    }
  }

  private mutating func storeCommand(_ words: Words) {
    stage.storeFate = words.has("away") ? .isAway(words.value("kind")) : words.has("loses") ? .losesReply(words.value("kind")) : .replies
    stage.isStoreSlow = words.has("slow")
    if words.has("empty") { stage.emptyStore() }
    if words.has("copied") { copy = stage.store }
    // Another server becomes the primary, which had heard of nothing since.
    if words.has("old"), let copy { stage.store = copy }
    if words.has("replies") {
      stage.isStoreSlow = words.has("once")
      stage.storeReplies(words.has("once") ? 1 : .max)
    }
  }

  private mutating func registrar(_ words: Words) {
    stage.registrar.isFound = !words.has("unfindable")
    stage.registrar.mood =
      words.has("silent") ? .silent : words.has("open") ? .open : words.number("refuses").map { .refusing($0) } ?? .strict
    if let password = words.value("password") { stage.registrar.rightPassword = password }
    if let name = words.value("auth-user") { stage.registrar.username = name }
  }

  // MARK: The provider

  private mutating func provider(_ what: String, _ words: Words) throws -> Bool {
    let call = words.plain.first { Int($0) != nil } ?? "1"
    let sdp = words.value("sdp").map { Leg.sdp($0, version: words.number("version") ?? 1) }
    switch what {
    case "invite": try stage.invite(call, invitation(words))
    case "invite-again": stage.repeatInvite(call)
    case "cancel": try stage.cancel(call, fields: words.fields)
    case "ack": try stage.ack(call, cseq: words.number("cseq") ?? 1, sdp: sdp)
    case "bye", "options", "info", "refer", "update", "notify", "message", "publish", "foo":
      try stage.request(
        what.uppercased(), call, cseq: words.number("cseq"), tag: words.value("tag"), fields: words.fields, body: sdp)
    case "reinvite":
      try stage.request(
        "INVITE", call, cseq: words.number("cseq"), fields: words.fields, body: words.value("body") ?? sdp,
        bodyType: words.value("body") == nil ? "application/sdp" : "text/plain")
    case "stray":
      try stage.stray(words.plain.first ?? "OPTIONS", from: words.value("from") ?? Stage.providerAddress, fields: words.fields)
    case "reply":
      stage.reply(words.plain.first.flatMap(Int.init) ?? 200, words.value("call") ?? "1", fields: words.replyFields, body: sdp)
    default: return false
    }
    return true
  }

  private func invitation(_ words: Words) -> Stage.Invitation {
    var what = Stage.Invitation(user: words.value("user"), copyOf: words.value("copy-of"), fields: words.fields)
    if words.has("no-sdp") { what.sdp = nil }
    if words.has("no-contact") { what.contact = nil }
    if let source = words.value("from") { what.source = source }
    if words.has("tcp") { what.transport = .tcp }
    if let to = words.value("to") { what.to = to }
    if let name = words.value("body") { what.body = (Bodies.type(name), Bodies.text(name)) }
    return what
  }

  // MARK: A phone

  private mutating func phone(_ name: String, _ words: Words) throws -> Bool {
    let line = words.number("line").flatMap(Line.init) ?? .one
    let sdp = Leg.sdp(words.value("sdp") ?? "phone-\(name)")
    let waited = Duration.seconds(words.number("waited") ?? 0)
    switch words.plain.first {
    case "setup": stage.setUp(name, settingUp(words))
    case "fetch": stage.phone(name, .fetch(line, words.has("early") ? .early : .answer), waited: waited)
    case "answer": stage.phone(name, .answer(line, sdp: sdp, confirm: !words.has("unconfirmed")), waited: waited)
    case "confirm": stage.phone(name, .confirm(line), waited: waited)
    case "decline": stage.phone(name, .decline, waited: waited)
    case "status": stage.phone(name, .status(line, after: words.number("after") ?? 0, wait: words.number("wait") ?? 25), waited: waited)
    case "hangup": stage.phone(name, .hangUp(line), waited: waited)
    case "state": stage.phone(name, .setUpState)
    case "remove": stage.phone(name, words.value("device").map { .removeDevice(id: Stage.device($0).text) } ?? .removeSetUp)
    case "push":
      stage.phone(
        name, .setPush(.apns(token: Hex.encode(Array((words.value("token") ?? "new").utf8)), topic: "t", environment: .production)))
    case "gone": stage.gone(name)
    case "told": stage.pushEnded(Stage.device(name), .announced)
    case "untold": stage.pushEnded(Stage.device(name), .notSent)
    case "token-gone": tokenGone(name)
    default: return false
    }
    return true
  }

  /// Says it of the announcement that is on its way, else of those to come.
  private mutating func tokenGone(_ name: String) {
    if stage.isChannelSlow {
      stage.pushEnded(Stage.device(name), .tokenGone)
    } else {
      stage.deadDevices.insert(Stage.device(name))
    }
  }

  private func settingUp(_ words: Words) -> Stage.SettingUp {
    var what = Stage.SettingUp(token: words.value("token"), takeSlotOf: words.value("take"))
    if let user = words.value("user") { what.user = user }
    if let transport = words.value("transport").flatMap(TransportChoice.init(rawValue:)) { what.transport = transport }
    (what.authUser, what.proxy, what.expires) = (words.value("auth-user"), words.value("proxy"), words.number("expires"))
    if let password = words.value("password") { what.password = password }
    if words.has("callback") { what.mode = .callback }
    if words.has("no-push") { what.hasPush = false }
    if words.has("other-account"), let other = AccountID(bytes: Bytes(repeating: 0xB2, count: 16)) { what.account = other }
    return what
  }
}

/// The words behind a command.
struct Words {
  private let words: [String]

  init(_ words: [String]) { self.words = words }

  var plain: [String] { words.filter { !$0.contains("=") && !$0.contains(":") } }
  func has(_ word: String) -> Bool { words.contains(word) }

  func value(_ name: String) -> String? {
    words.first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
  }

  func number(_ name: String) -> Int? { value(name).flatMap { Int($0) } }

  /// Header fields.
  var fields: [(String, String)] {
    words.compactMap { word in
      guard let colon = word.firstIndex(of: ":"), word[..<colon].allSatisfy({ $0.isLetter || $0 == "-" }) else { return nil }
      return (String(word[..<colon]), String(word[word.index(after: colon)...].map { $0 == "_" ? " " : $0 }))
    }
  }

  var replyFields: [(HeaderName, String)] {
    fields.compactMap { name, value in HeaderName.allCases.first { $0.text.description == name }.map { ($0, value) } }
  }
}

/// Bodies that are more, or less, than SDP.
enum Bodies {
  static func type(_ name: String) -> String {
    switch name {
    case "empty": "application/sdp"
    case "text": "text/plain"
    default: "multipart/mixed;boundary=b"
    }
  }

  static func text(_ name: String) -> String {
    switch name {
    case "empty": ""
    case "text": "hello"
    default: parts(isup: name == "multipart-required" ? "required" : "optional")
    }
  }

  private static func parts(isup handling: String) -> String {
    "--b\r\nContent-Type: application/sdp\r\n\r\n" + Leg.sdp("inner") + "\r\n--b\r\nContent-Type: application/isup\r\n"
      + "Content-Disposition: signal;handling=\(handling)\r\n\r\nxyz\r\n--b--\r\n"
  }
}
