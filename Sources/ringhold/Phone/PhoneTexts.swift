import PhoneContract
import PhoneKit

extension SetUpState {
  /// For a person who wants to know how things stand.
  var lines: [String] {
    let own = ["server      \(serverName), \(answeredCalls) answered calls at most", "registered  \(registration.text)"]
    let asked = registration.challenges.map { "            the registrar asks for \($0.algorithm) in realm '\($0.realm)'" }
    let phones = devices.enumerated().map { index, device in
      "\(index == 0 ? "phones      " : "            ")\(device.text)"
    }
    return own + asked + phones + ["            \(devices.count) of \(slots) slots taken"]
  }
}

extension SetUpState.Registration {
  fileprivate var text: String {
    let how = transport.map { " over \($0.rawValue)" } ?? ""
    let again = retryAfter.map { ", next try in \($0) s" } ?? ""
    return (state == .registered ? "yes" : "no, \(state.rawValue)") + how + again
  }
}

extension SetUpState.DeviceState {
  fileprivate var text: String {
    let called = name.map { " '\($0)'" } ?? ""
    return "\(id)\(called)\(isThis ? " (this one)" : ""), push \(push.rawValue), last active \(lastActive.text)"
  }
}

extension Event {
  var text: String {
    switch kind {
    case .offer(let id, let sdp): "offer \(id), \(sdp.map { "\($0.utf8.count) bytes of SDP" } ?? "without SDP")"
    case .offerWithdrawn: "offer withdrawn"
    case .ended(let why): "ended: \(why.rawValue)"
    case .other(let type): type
    }
  }
}

/// Who calls, as the announcement says it.
func callerText(number: String?, name: String?) -> String {
  let known = [name, number].compactMap(\.self).map(\.onOneLine).filter { !$0.isEmpty }
  return known.isEmpty ? "somebody who hides the number" : known.joined(separator: " ")
}

extension String {
  /// A caller chooses his name and his SDP: nothing in them may move the cursor or colour the terminal.
  var onOneLine: String {
    String(unicodeScalars.map { $0.properties.generalCategory == .control ? " " : Character($0) })
  }
}
