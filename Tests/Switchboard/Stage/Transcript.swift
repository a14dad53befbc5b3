import PhoneContract
import Primitives
import SIP
import Store

@testable import Switchboard

/// One line for each thing that comes out.
enum Transcript {
  static func text(_ response: Response) -> String {
    let method = (try? response.cseq.method)?.bytes.text ?? "?"
    return (["\(response.status) \(method)"] + details(response.message)).joined(separator: " ")
  }

  static func text(_ request: Request) -> String {
    (["\(request.method.bytes.text) \((try? request.cseq.number) ?? 0)"] + details(request.message)).joined(separator: " ")
  }

  private static let shown: [(HeaderName, String)] = [
    (.unsupported, "unsupported"), (.minSE, "min-se"), (.sessionExpires, "session-expires"), (.require, "require"),
    (.recordRoute, "record-route"), (.accept, "accept"), (.proxyAuthorization, "proxy-authorization"), (.authorization, "authorization"),
  ]

  private static func details(_ message: Message) -> [String] {
    let isRefusal = message.raw.starts(with: Array("SIP/2.0 4".utf8))
    let fields = shown.flatMap { name, text -> [String] in
      guard name != .accept || isRefusal else { return [] }
      let isSecret = name == .authorization || name == .proxyAuthorization
      return message.lines(name).map { isSecret ? text : "\(text)=\($0.text)" }
    }
    return fields + (message.body.isEmpty ? [] : ["sdp=\(Leg.name(ofSDP: message.body))"])
  }

  static func text(_ reply: PhoneReply, name: (DeviceID) -> String) -> String {
    switch reply {
    case .problem(let problem): "\(problem.status) \(problem.name.rawValue)"
    case .done: "204"
    case .fetched(let reply): "200 line \(reply.line.rawValue) offer=\(reply.offer.map { Leg.name(ofSDP: $0.utf8) } ?? "null")"
    case .answered(let reply): "200 sdp=\(reply.sdp.map { Leg.name(ofSDP: $0.utf8) } ?? "null")"
    case .kept: "202"
    case .status(let reply): "200 next=\(reply.next) [\(reply.events.map(text).joined(separator: ", "))]"
    case .state(let state): text(state, name: name)
    case .probed: "200 probed"
    }
  }

  private static func text(_ event: Event) -> String {
    if case .ended(let why) = event.kind { return "\(event.seq) ended \(why.rawValue)" }
    return "\(event.seq) \(event.type)"
  }

  private static func text(_ state: SetUpState, name: (DeviceID) -> String) -> String {
    let devices = state.devices.map { device in
      let short = DeviceID(device.id).map(name) ?? "?"
      return short + (device.push == .ok ? "" : "(\(device.push.rawValue))")
    }
    let challenges = state.registration.challenges.map { "\($0.realm) \($0.algorithm)" }
    let asked = challenges.isEmpty ? "" : " wants \(challenges.joined(separator: ", "))"
    return "200 \(state.registration.state.rawValue)\(asked) devices \(devices.joined(separator: " "))"
  }
}
