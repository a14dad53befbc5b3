import Network
import Node
import PhoneContract
import PhoneKit
import Primitives

/// The demo's story: set-up, a call that is answered, one that is given up, one that is declined, the hang-up, the removal.
@LoopActor
struct Play {
  let stage: Stage
  let narrator: Narrator

  static let ann = ProviderCaller(name: "Ann", number: "+4930123456")
  static let bob = ProviderCaller(name: "Bob", number: "+4989654321")

  /// Throws where a step did not hold.
  func run() async throws {
    introduce()
    try await setUp()
    let call = try await answeredCall()
    try await abandonedCall()
    try await declinedCall()
    try await hangUp(call)
    try await remove()
    try await closingChecks()
  }

  private func introduce() {
    narrator.say("Who takes part, all on this machine and in this process:")
    narrator.say("  caller    rings through the provider")
    narrator.say("  provider  \(stage.provider.address.text.trailing(16)) any SIP provider; it knows nothing of Ringhold")
    narrator.say("  server    \(https.trailing(16)) Ringhold: SIP to the provider, HTTPS to the phone")
    narrator.say("  push      \(stage.push.address.text.trailing(16)) stands in for Apple's push service")
    narrator.say("  phone                      asleep until a push wakes it")
  }

  private var https: String { stage.server.addresses.https.first?.text ?? "" }

  private func closingChecks() async throws {
    narrator.title("What is left behind")
    try await narrator.step(.push, nil, "saw 4 pushes") { line in
      try expect(stage.push.records.count { $0.status == 200 }, 4, "3 calls and 1 stop")
      let sizes = Set(stage.push.records.map(\.body.count))
      try expect(sizes.count, 1, "one size for all")
      line += ", all of \(sizes.first ?? 0) bytes: by size it cannot tell a call from a stop"
    }
    try await narrator.step(.server, nil, "logged") { line in
      let text = stage.log.text
      try expectNothingPersonal(in: text)
      line += " \(text.split(separator: "\n").count) lines: no name, number, token, secret or SDP in them"
    }
    try await narrator.step(.server, nil, "counts what it does") { line in
      let page = try await stage.metrics()
      try expectNothingPersonal(in: page)
      line += ": \(page.split(separator: "\n").count { !$0.hasPrefix("#") }) numbers for Prometheus, nothing personal either"
    }
  }

  private func expectNothingPersonal(in text: String) throws(Unexpected) {
    try expect(text.isEmpty, false, "an empty text")
    // Names as whole words: `Announcements` is nobody.
    let words = Set(text.split { !$0.isLetter }.map(String.init))
    for name in [Self.ann, Self.bob].compactMap(\.name) { try expect(words.contains(name), false, "somebody's name") }
    for secret in secrets { try expect(text.contains(secret), false, "something personal") }
  }

  private var secrets: [String] {
    ["4930123456", "4989654321", "m=audio", Stage.user, Stage.password, stage.token] + stage.account.credentials.map(\.ha1)
  }
}

/// Throws where both differ. Neither may hold a secret: both are told.
func expect<Value: Equatable>(_ came: Value, _ expected: Value, _ what: String) throws(Unexpected) {
  guard came != expected else { return }
  throw Unexpected(expected: "\(what): \(expected)", came: "\(came)")
}
