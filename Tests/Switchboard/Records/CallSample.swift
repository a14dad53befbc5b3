import PhoneContract
import Primitives
import SIP
import Store

@testable import Switchboard

/// Calls as they stand at some point.
enum CallSample {
  static let now = Instant.ms(1_764_480_000_000)
  static let request = PhoneRequestID(7)

  static func invite(sdp: String? = Leg.sdp("caller"), allow: String = "INVITE, ACK, BYE, UPDATE", padding: Int = 0) throws -> Request {
    var draft = Draft(method: "INVITE", uri: "sip:\(Stage.account)@\(Stage.ourAddress)")
    draft.fields = [
      ("Via", "SIP/2.0/UDP \(Stage.providerAddress);branch=z9hG4bK-1"), ("Max-Forwards", "70"),
      ("From", "\"Ann\" <sip:+4930123456@example.net>;tag=f1"), ("To", "<sip:alice@example.net>"), ("Call-ID", "call-1"),
      ("CSeq", "1 INVITE"), ("Contact", "<sip:ann@192.0.2.7:5070>"), ("Allow", allow),
    ]
    if padding > 0 { draft.fields.append(("P-Padding", String(repeating: "x", count: padding))) }
    draft.body = sdp ?? ""
    return try draft.request
  }

  static func device(_ name: String) -> Device {
    Device(
      id: Stage.device(name), signKey: DeviceKey(kty: "OKP", crv: "Ed25519", x: name),
      push: .apns(token: "token-\(name)", topic: "t", environment: .production), lastActive: now)
  }

  static func ringing(_ devices: [String] = ["a", "b"], invite: Request? = nil, padding: Int = 0) throws -> Call {
    let invite = try invite ?? Self.invite(padding: padding)
    var call = Call(
      id: CallID(number: 0x1234_5678_9ABC_DEF0), account: Stage.account, invite: invite, transaction: try ServerTransactionID(invite),
      flow: Stage.providerFlow, localTag: Array("our-tag".utf8), caller: Caller(of: invite),
      offer: try invite.sessionDescription.map { Array($0) }, began: now)
    _ = call.begin(devices: devices.map { device($0) }, protection: .seconds(180), now: now)
    return call
  }

  /// 200 is out.
  static func answered(line: Line = .one, invite: Request? = nil, padding: Int = 0) throws -> Call {
    var call = try ringing(["a"], invite: invite, padding: padding)
    _ = call.announcementEnded(Stage.device("a"), .announced, now: now)
    _ = call.fetch(request, device: Stage.device("a"), line: line, stage: .answer, now: now)
    _ = call.answer(
      request, device: Stage.device("a"), line: line, sdp: Array(Leg.sdp("phone-a").utf8), confirm: true, now: now)
    return call
  }

  /// And its ACK is here.
  static func confirmed(line: Line = .one, invite: Request? = nil, padding: Int = 0) throws -> Call {
    var call = try answered(line: line, invite: invite, padding: padding)
    _ = call.acknowledged(answer: nil, now: now)
    return call
  }

  static func response(_ status: Int, _ method: SIP.Method, sdp: String? = nil) throws -> Response {
    var draft = Draft(method: method.bytes.text, uri: "sip:ann@192.0.2.7")
    draft.fields = [
      ("Via", "SIP/2.0/UDP \(Stage.ourAddress);branch=z9hG4bK-2"), ("From", "<sip:alice@example.net>;tag=our-tag"),
      ("To", "<sip:ann@example.net>;tag=f1"), ("Call-ID", "call-1"), ("CSeq", "17 \(method.bytes.text)"),
    ]
    return Response.make(to: try draft.request, status: status, toTag: nil, body: Array((sdp ?? "").utf8)) { builder in
      builder.append(.contact, Array("<sip:ann@192.0.2.99>".utf8))
      if sdp != nil { builder.append(.contentType, "application/sdp") }
    }
  }

  /// One event of those that may come to any call.
  static func anything(_ call: inout Call, _ step: Int, _ random: inout SeededRandom) throws {
    let device = Stage.device("a")
    let later = now + .seconds(Int64(step) * 20)
    switch Int.random(in: 0..<9, using: &random) {
    case 0: _ = call.deadlineReached(now: later)
    case 1: _ = call.fetch(request, device: device, line: .one, stage: .answer, now: later)
    case 2: _ = call.answer(request, device: device, line: .two, sdp: [1], confirm: true, now: later)
    case 3: _ = call.status(request, after: 1, until: later, now: later)
    case 4: _ = call.hangUp(why: .hungUp, now: later)
    case 5: _ = call.acknowledgementMissing(now: later)
    case 6:
      let method = [SIP.Method.update, .invite, .options].randomElement(using: &random) ?? .update
      let status = [200, 405, 481, 491].randomElement(using: &random) ?? 200
      _ = call.responded(try response(status, method), to: method, now: later, random: &random)
    case 7: _ = call.cancelReceived(isAnsweredElsewhere: false, now: later)
    default: _ = call.acknowledged(answer: nil, now: later)
    }
  }
}
