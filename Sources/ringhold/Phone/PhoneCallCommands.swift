import Network
import PhoneContract
import PhoneKit

extension Option {
  fileprivate static let stage = Option(name: "--stage", value: "WORD", summary: "answer (the default) claims the call, early does not")
  fileprivate static let after = Option(name: "--after", value: "N", summary: "events after this number only")
  fileprivate static let wait = Option(name: "--wait", value: "SECONDS", summary: "for an event, 0 to 25 (the default)")
  fileprivate static let follow = Option(name: "--follow", value: nil, summary: "ask again and again until the call has ended")
}

extension Command {
  static let fetch: Command = phone(
    "fetch", "fetches the held call and prints the caller's SDP", options: [.line, .stage],
    remarks: ["A fetch claims the call for 5 s: other phones wait for its outcome."]
  ) { client, arguments in
    let reply = try await client.fetch(on: try arguments.phoneLine(), stage: try arguments.choice(.stage) ?? .answer)
    Terminal.say(reply.offer ?? "The caller has no SDP: the phone is to offer.")
    return .success
  }

  static let answer: Command = phone(
    "answer", "fetches the held call and answers it", options: [.line, .media, .sdp],
    remarks: ["The server ends a call that no phone asks about for 30 s: keep it with 'ringhold phone status --follow'."]
  ) { client, arguments in
    let (line, media) = (try arguments.phoneLine(), try arguments.phoneMedia())
    let fetched = try await client.fetch(on: line)
    let reply = try await client.answer(try media.answer(to: fetched.offer), on: line)
    Terminal.say("the call is up on line \(line.rawValue)")
    if let sdp = reply.sdp ?? fetched.offer { Terminal.say(sdp) }
    return .success
  }

  static let decline: Command = phone("decline", "declines the held call") { client, _ in
    try await client.decline()
    Terminal.say("declined")
    return .success
  }

  static let status: Command = phone(
    "status", "says what happened on a line", options: [.line, .after, .wait, .follow]
  ) { client, arguments in
    let line = try arguments.phoneLine()
    var next = try arguments.number(.after, in: 0...1_000_000_000) ?? 0
    let wait = try arguments.number(.wait, in: 0...25) ?? 25
    while true {
      let reply = try await client.status(of: line, after: next, wait: wait)
      for event in reply.events { Terminal.say("\(event.seq) \(event.text)") }
      let hasEnded = reply.events.contains { if case .ended = $0.kind { true } else { false } }
      if hasEnded || !arguments.has(.follow) { return .success }
      next = reply.next
    }
  }

  static let hangUp: Command = phone("hangup", "ends the call on a line", options: [.line]) { client, arguments in
    try await client.hangUp(try arguments.phoneLine())
    Terminal.say("hung up")
    return .success
  }
}
