import FoundationEssentials
import Network
import PhoneContract
import PhoneKit
import Primitives

extension Option {
  fileprivate static let registrar = Option(
    name: "--registrar", value: "HOST[:PORT]", summary: "the provider's registrar", isRequired: true)
  fileprivate static let user = Option(name: "--user", value: "USER", summary: "the account's user name", isRequired: true)
  fileprivate static let domain = Option(name: "--domain", value: "DOMAIN", summary: "its SIP domain, where that is not the registrar")
  fileprivate static let transport = Option(name: "--transport", value: "WORD", summary: "auto (the default), tls, tcp or udp")
  fileprivate static let proxy = Option(name: "--outbound-proxy", value: "HOST[:PORT]", summary: "where the server sends requests first")
  fileprivate static let authUser = Option(name: "--auth-user", value: "USER", summary: "the user name of the digest, where it is another")
  fileprivate static let expires = Option(name: "--expires", value: "SECONDS", summary: "how long a registration is asked for")
  fileprivate static let name = Option(name: "--name", value: "TEXT", summary: "what the account's other phones call this one")
  fileprivate static let mode = Option(name: "--mode", value: "WORD", summary: "ring (the default) or callback")
  fileprivate static let takeSlot = Option(
    name: "--take-slot-of", value: "ID", summary: "the phone that gives up its slot if all are taken")
  fileprivate static let device = Option(name: "--device", value: "ID", summary: "another phone of the account instead of this one")
  fileprivate static let token = Option(
    name: "--push-token", value: "HEX", summary: "of Apple; without it one made from the keys, for 'ringhold phone ring'")
  fileprivate static let topic = Option(name: "--push-topic", value: "TOPIC", summary: "that goes with it")
  fileprivate static let environment = Option(
    name: "--push-environment", value: "WORD", summary: "production (the default) or development")

  fileprivate static let account: [Option] = [.registrar, .user, .domain, .transport, .proxy]
}

extension Command {
  static let probe: Command = phone(
    "probe", "asks what the registrar asks for", options: Option.account, makesKeys: true
  ) { client, arguments in
    let reply = try await client.probe(try arguments.target())
    Terminal.say("transport   \(reply.transport.rawValue)")
    for challenge in reply.challenges { Terminal.say("challenge   \(challenge.algorithm) in realm '\(challenge.realm)'") }
    if reply.challenges.isEmpty { Terminal.say("challenge   none") }
    return .success
  }

  static let setUp: Command = Command(
    name: "phone setup", summary: "sets the phone up, with new keys where there are none; again, it changes what was set up",
    options: Option.ofEveryPhone + [.curve] + Option.account
      + [.authUser, .expires, .name, .mode, .takeSlot, .token, .topic, .environment],
    remarks: [
      """
      The password comes from the variable \(PhonePassword.variable), or is asked for on the terminal. It never leaves this program:
      the server gets the digest of it that the registrar asks for.
      """
    ]
  ) { arguments in
    try arguments.refuseWords()
    Secrecy.keepMemoryFromDumps()
    _ = try arguments.target()
    // A wrong file is told before anybody types a password.
    let session = try PhoneSession(arguments, makesKeys: true)
    let password = try await PhonePassword.read()
    return try await session.run { client in
      let state = try await client.setUp(
        try arguments.target(), authUser: arguments[.authUser], password: password,
        expires: try arguments.number(.expires, in: 60...86_400),
        push: try arguments.push(for: client.phone), name: arguments[.name], mode: try arguments.choice(.mode) ?? .ring,
        takeSlotOf: arguments[.takeSlot])
      return tell(try await settled(state, client))
    }
  }

  static let state: Command = phone("state", "says how phone and account stand") { client, _ in tell(try await client.state()) }

  static let remove: Command = phone("remove", "takes the phone off the server; its calls end", options: [.device]) { client, arguments in
    if let id = arguments[.device] { try await client.remove(device: id) } else { try await client.remove() }
    Terminal.say("removed")
    return .success
  }

  /// The first word of the provider may take longer than the server waits.
  @LoopActor private static func settled(_ state: SetUpState, _ client: PhoneClient) async throws -> SetUpState {
    var state = state
    for _ in 0..<15 where state.registration.state == .registering {
      await withCheckedContinuation { next in Loop.after(.seconds(1)) { next.resume() } }
      state = try await client.state()
    }
    return state
  }

  private static func tell(_ state: SetUpState) -> ExitStatus {
    for line in state.lines { Terminal.say(line) }
    return state.registration.state == .registered ? .success : .failed
  }
}

extension Arguments {
  fileprivate func target() throws(UsageError) -> ProbeBody.Target {
    ProbeBody.Target(
      registrar: self[.registrar] ?? "", user: self[.user] ?? "", domain: self[.domain], transport: try choice(.transport) ?? .auto,
      outboundProxy: self[.proxy])
  }

  fileprivate func push(for phone: Phone) throws(UsageError) -> PushBody {
    .apns(
      token: self[.token] ?? phone.standInToken, topic: self[.topic] ?? "com.example.ringhold.voip",
      environment: try choice(.environment) ?? .production)
  }
}

extension Phone {
  /// A device token as Apple's look, of this phone and no other. It begins with two zeros: other digits mean something to stand-ins.
  var standInToken: String { "00" + Hex.encode((Base64.urlSafe.decode(id) ?? []).dropFirst()) }
}
