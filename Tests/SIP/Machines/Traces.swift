import Primitives

@testable import SIP

/// Messages and flows for traces.
enum Trace {
  static let provider = SocketAddress(ip: IPAddress("203.0.113.10") ?? .loopbackIPv4, port: 5060)
  static let here = SocketAddress(ip: IPAddress("192.0.2.10") ?? .loopbackIPv4, port: 5060)

  static func flow(_ transport: Transport) -> Flow {
    Flow(transport: transport, local: here, remote: provider, connection: transport.isReliable ? 7 : 0)
  }

  static func request(
    _ method: String = "INVITE", branch: String? = "z9hG4bKa1", sentBy: String = "203.0.113.10:5060", cseq: Int = 1, toTag: String? = nil,
    callID: String = "c1", more: String = ""
  ) throws -> Request {
    let to = toTag.map { ";tag=" + $0 } ?? ""
    let via = "Via: SIP/2.0/UDP \(sentBy)\(branch.map { ";branch=" + $0 } ?? "");rport\n"
    return try Samples.request(
      message(
        "\(method) sip:tok@192.0.2.10 SIP/2.0\n\(via)From: <sip:ann@example.com>;tag=f1\nTo: <sip:tok@192.0.2.10>\(to)\n"
          + "Call-ID: \(callID)\nCSeq: \(cseq) \(method)\nMax-Forwards: 70\nContact: <sip:ann@203.0.113.10:5060>\n\(more)\n"))
  }

  static func response(_ status: Int, to request: Request, tag: String = "t1", more: String = "") -> Response {
    Response.make(to: request, status: status, toTag: Bytes(tag.utf8)) { builder in
      for line in more.split(separator: "\n") {
        let parts = line.split(separator: ":", maxSplits: 1)
        guard let name = HeaderName.allCases.first(where: { $0.text.description == parts[0] }) else { continue }
        builder.append(name, Bytes(parts[1].drop { $0 == " " }.utf8))
      }
    }
  }
}

/// A layer whose wake-ups come exactly when it asks for them.
struct DrivenLayer {
  var layer = TransactionLayer(random: SeededRandom(seed: 1))
  var wake: Instant?
  /// What happened, one line each: time in ms and what.
  var log: [String] = []

  mutating func take(_ actions: [TransactionLayer.Action], at now: Instant) {
    for action in actions {
      switch action {
      case .wake(let at): wake = at
      case .send(let bytes, _), .respond(let bytes, _): log.append("\(now.milliseconds) \(Self.startLine(bytes))")
      case .deliver(let event): log.append("\(now.milliseconds) \(Self.name(event))")
      }
    }
  }

  mutating func run(until end: Instant) {
    while let next = wake, next <= end {
      wake = nil
      take(layer.deadlineReached(now: next), at: next)
    }
  }

  /// Gives the log and starts a new one.
  mutating func drain() -> [String] {
    defer { log = [] }
    return log
  }

  private static func startLine(_ bytes: Bytes) -> String {
    let words = bytes.prefix { $0 != 13 }.text.split(separator: " ")
    return "send " + (words[0] == "SIP/2.0" ? String(words[1]) : String(words[0]))
  }

  private static func name(_ event: TransactionLayer.Event) -> String {
    switch event {
    case .request(let request, _, _): "request \(request.method.bytes.text)"
    case .cancel: "cancel"
    case .response(let response, _): "response \(response.status)"
    case .timedOut: "timedOut"
    case .transportFailed: "transportFailed"
    case .noACK: "noACK"
    case .acknowledged: "acknowledged"
    case .ended: "ended"
    }
  }
}
