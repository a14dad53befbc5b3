import Endpoints
import Network
import Primitives
import SIP
import Testing

@testable import Demo

@LoopActor
@Suite(.timeLimit(.minutes(1))) struct ProviderCallTests {
  private let ann = ProviderCaller(name: "Ann \"A\"", number: "+4930123456")
  private let sdp = Bytes(DemoSDP.ofCaller.utf8)

  private func registered(over transport: Transport = .udp) async throws -> (ProviderStandIn, RawPhone) {
    let provider = try ProviderStandIn()
    let phone = try RawPhone(provider, over: transport)
    phone.register()
    _ = try await provider.first("a registration", where: \.isRegistered)
    return (provider, phone)
  }

  @Test(arguments: [Transport.udp, .tcp])
  func aCallIsAnsweredAndEndedByTheCaller(_ transport: Transport) async throws {
    let (provider, phone) = try await registered(over: transport)
    let call = try provider.call("alice", from: ann, sdp: sdp)
    let (invite, id, _) = try await phone.invite()
    let caller = Caller(of: invite)
    #expect(caller.number == "+4930123456")
    #expect(caller.name == "Ann \"A\"")
    #expect(try invite.sessionDescription?.elementsEqual(sdp) == true)
    phone.respond(100, to: invite, id)
    try await call.trying()
    phone.respond(180, to: invite, id)
    try await call.ringing()
    phone.respond(200, to: invite, id, sdp: DemoSDP.ofPhone)
    #expect(try await call.answer().text == DemoSDP.ofPhone)
    _ = try await phone.request(.ack)
    phone.endpoint.acknowledged(id)
    call.hangUp()
    let (bye, byeID, _) = try await phone.request(.bye)
    phone.endpoint.respond(to: byeID, with: .make(to: bye, status: 200, toTag: nil))
    #expect(try await call.ended() == .provider)
    #expect(call.events == [.provisional(100), .provisional(180), .answered, .ended(by: .provider)])
    provider.close()
    phone.endpoint.close()
  }

  @Test func thePhoneHangsUp() async throws {
    let (provider, phone) = try await registered()
    let call = try provider.call("alice", from: ann, sdp: sdp)
    let (invite, id, flow) = try await phone.invite()
    phone.respond(200, to: invite, id, sdp: DemoSDP.ofPhone)
    try await call.answer()
    var dialog = try Dialog(accepting: invite, localTag: Bytes("phone".utf8))
    phone.endpoint.send(dialog.request(.bye), over: flow)
    #expect(try await call.ended() == .phone)
    provider.close()
    phone.endpoint.close()
  }

  @Test func anOfferInTheAnswerIsAnsweredInTheACK() async throws {
    let (provider, phone) = try await registered()
    let call = try provider.call("alice", from: ann, sdp: nil, lateSDP: sdp)
    let (invite, id, _) = try await phone.invite()
    #expect(invite.message.body.isEmpty)
    phone.respond(200, to: invite, id, sdp: DemoSDP.ofPhone)
    try await call.answer()
    let (ack, _, _) = try await phone.request(.ack)
    #expect(try ack.sessionDescription?.elementsEqual(sdp) == true)
    provider.close()
    phone.endpoint.close()
  }

  @Test func aRefusalIsToldToEverybodyWhoWaits() async throws {
    let (provider, phone) = try await registered()
    let call = try provider.call("alice", from: .anonymous, sdp: sdp)
    let (invite, id, _) = try await phone.invite()
    #expect(Caller(of: invite) == .withheld)
    phone.respond(603, to: invite, id)
    #expect(try await call.final() == 603)
    await #expect(throws: Unexpected.self) { try await call.ringing() }
    await #expect(throws: Unexpected.self) { try await call.answer() }
    await #expect(throws: Unexpected.self) { try await call.ended() }
    provider.close()
    phone.endpoint.close()
  }

  /// `early`: before anything came back, where RFC 3261 §9.1 has the CANCEL wait.
  @Test(arguments: [true, false])
  func aCallIsCancelled(_ early: Bool) async throws {
    let (provider, phone) = try await registered()
    let call = try provider.call("alice", from: ann, sdp: sdp)
    if early { call.cancel() }
    let (invite, id, _) = try await phone.invite()
    phone.respond(180, to: invite, id)
    try await call.ringing()
    if !early { call.cancel() }
    let event = try await phone.heard.first("CANCEL", within: .seconds(5)) { if case .cancel = $0 { true } else { false } }
    guard case .cancel(of: id, let cancel, let cancelID) = event else { throw Unexpected(expected: "CANCEL", came: "\(event)") }
    phone.endpoint.respond(to: cancelID, with: .make(to: cancel, status: 200, toTag: nil))
    phone.respond(487, to: invite, id)
    #expect(try await call.final() == 487)
    provider.close()
    phone.endpoint.close()
  }

  @Test func aCancelThatComesTooLateIsFollowedByBYE() async throws {
    let (provider, phone) = try await registered()
    let call = try provider.call("alice", from: ann, sdp: sdp)
    let (invite, id, _) = try await phone.invite()
    phone.respond(180, to: invite, id)
    try await call.ringing()
    call.cancel()
    phone.respond(200, to: invite, id, sdp: DemoSDP.ofPhone)
    #expect(try await call.final() == 200)
    _ = try await phone.request(.bye)
    provider.close()
    phone.endpoint.close()
  }

  /// The phone's connection is gone: the provider connects to its Contact.
  @Test func aCallFindsItsWayWhenTheConnectionIsGone() async throws {
    let (provider, phone) = try await registered(over: .tcp)
    phone.disconnect()
    _ = try await provider.first("the end of the connection") { $0 == .connectionLost(user: "alice") }
    let call = try provider.call("alice", from: ann, sdp: sdp)
    let (invite, id, _) = try await phone.invite()
    phone.respond(486, to: invite, id)
    #expect(try await call.final() == 486)
    provider.close()
    phone.endpoint.close()
  }
}
