import Demo
import Network
import PhoneContract
import PhoneKit

extension Option {
  fileprivate static let pushListen = Option(
    name: "--push-listen", value: "ADDRESS:PORT", summary: "be the push service that the server pushes to", isRequired: true)
  fileprivate static let pushFolder = Option(
    name: "--push-folder", value: "FOLDER", summary: "for the keys of that push service; made if missing", isRequired: true)
  fileprivate static let autoAnswer = Option(name: "--answer", value: nil, summary: "answer without asking")
  fileprivate static let autoDecline = Option(name: "--decline", value: nil, summary: "decline without asking")
  fileprivate static let hangUpAfter = Option(name: "--hang-up-after", value: "SECONDS", summary: "end an answered call by then")
  fileprivate static let callCount = Option(name: "--calls", value: "N", summary: "end after so many calls; 1 with --answer or --decline")
}

extension Command {
  static let ring: Command = phone(
    "ring", "waits for calls and shows them; a answers, d declines, h hangs up, q ends",
    options: [.pushListen, .pushFolder, .line, .media, .sdp, .autoAnswer, .autoDecline, .hangUpAfter, .callCount],
    remarks: [
      """
      Calls are announced by push. So that no push service is needed, this command is one, and prints the lines of configuration by
      which the server pushes to it. Its files stay in the folder: the server runs on while the phone is started again. The first
      time it is started before the server and the set-up, and makes the keys if there are none.
      """,
      "No sound is sent or taken: what --media or --sdp names is where another program does that.",
    ], makesKeys: true
  ) { client, arguments in
    let habits = try PhoneHabits(arguments)
    guard let listen = try arguments.address(.pushListen) else { throw UsageError("'phone ring' needs \(Option.pushListen.usage)") }
    let folder = PushFolder(arguments[.pushFolder] ?? "")
    let push = try PushStandIn(listen: listen, identity: try folder.identity())
    Terminal.say("The server pushes here with these lines in its configuration:")
    Terminal.say(folder.configuration(keyID: push.keyID, teamID: push.teamID, url: push.url))
    let status = await RingingPhone(client, habits).run(push)
    await push.stop()
    return status
  }
}

/// What the phone does by itself.
struct PhoneHabits: Sendable {
  let line: Line
  /// nil where every call is declined.
  let media: PhoneMedia?
  let answers: Bool
  let declines: Bool
  let hangUpAfter: Duration?
  /// nil for no end.
  let calls: Int?

  init(_ arguments: Arguments) throws {
    (answers, declines) = (arguments.has(.autoAnswer), arguments.has(.autoDecline))
    guard !answers || !declines else { throw UsageError("--answer and --decline exclude each other") }
    line = try arguments.phoneLine()
    media = declines ? nil : try arguments.phoneMedia()
    hangUpAfter = try arguments.number(.hangUpAfter, in: 0...86_400).map { .seconds($0) }
    calls = try arguments.number(.callCount, in: 1...1_000_000) ?? (answers || declines ? 1 : nil)
  }
}
