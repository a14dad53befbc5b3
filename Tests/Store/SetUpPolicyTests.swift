import Primitives
import Store
import Testing

@Suite struct SetUpPolicyTests {
  let two = SetUpPolicy(slots: 2)

  @Test func aDeviceJoinsWithTheAccountsCredentials() throws {
    let account = try Account.sample(devices: [.sample(1)])
    var asked = try Account.sample()
    asked.transport = .tls
    var expected = asked
    expected.devices = try [.sample(1), .sample(2)]
    #expect(try account.settingUp(.sample(2), asked: asked, policy: two) == .accepted(expected, lost: []))
  }

  @Test func otherCredentialsWaitForTheProvider() throws {
    let account = try Account.sample(devices: [.sample(1)])
    var asked = try Account.sample()
    asked.credentials = [.other]
    #expect(try account.settingUp(.sample(1), asked: asked, policy: two) == .credentialsDiffer)
    asked.credentials = [.sample, .other]
    #expect(try account.settingUp(.sample(2), asked: asked, policy: two) == .credentialsDiffer)
    asked.credentials = []
    #expect(try account.settingUp(.sample(2), asked: asked, policy: two) == .credentialsDiffer)
    asked.credentials = [.sample]
    asked.authUser = "somebody"
    #expect(try account.settingUp(.sample(2), asked: asked, policy: two) == .credentialsDiffer)

    asked.credentials = [.other]
    var expected = asked
    expected.devices = try [.sample(1)]
    #expect(try account.settingUp(.sample(1), asked: asked, accepted: true, policy: two) == .accepted(expected, lost: []))
  }

  @Test func partOfTheCredentialsIsEnoughAndTakesNothingAway() throws {
    var account = try Account.sample(devices: [.sample(1)])
    account.credentials = [.other, .sample]
    guard case .accepted(let result, _) = try account.settingUp(.sample(2), asked: .sample(), policy: two) else {
      Issue.record("not accepted")
      return
    }
    #expect(result.credentials == [.other, .sample])
  }

  @Test func theLeastRecentlyActiveGoes() throws {
    let account = try Account.sample(devices: [.sample(1, active: 9), .sample(2, active: 5)])
    let outcome = try account.settingUp(.sample(3), asked: .sample(), policy: two)
    #expect(try outcome == .accepted(.sample(devices: [.sample(1, active: 9), .sample(3)]), lost: [.sample(2)]))
    let refusing = SetUpPolicy(slots: 2, whenFull: .refuse)
    #expect(try account.settingUp(.sample(3), asked: .sample(), policy: refusing) == .slotsFull)
  }

  @Test func aNamedSlotIsTakenWhereAllAreTaken() throws {
    let refusing = SetUpPolicy(slots: 2, whenFull: .refuse)
    let account = try Account.sample(devices: [.sample(1, active: 9), .sample(2, active: 5)])
    let taken = try account.settingUp(.sample(3), asked: .sample(), takingSlotOf: .sample(1), policy: refusing)
    #expect(try taken == .accepted(.sample(devices: [.sample(2, active: 5), .sample(3)]), lost: [.sample(1)]))
    #expect(try account.settingUp(.sample(3), asked: .sample(), takingSlotOf: .sample(8), policy: refusing) == .slotsFull)
    let room = try Account.sample(devices: [.sample(1)]).settingUp(.sample(3), asked: .sample(), takingSlotOf: .sample(1), policy: two)
    #expect(try room == .accepted(.sample(devices: [.sample(1), .sample(3)]), lost: []))
  }

  @Test func fewerSlotsThanBefore() throws {
    let account = try Account.sample(devices: [.sample(1, active: 1), .sample(2, active: 2), .sample(3, active: 3)])
    let outcome = try account.settingUp(.sample(4), asked: .sample(), policy: two)
    #expect(try outcome == .accepted(.sample(devices: [.sample(3, active: 3), .sample(4)]), lost: [.sample(1), .sample(2)]))
  }

  @Test func theSameTokenUnderANewKeyReplaces() throws {
    let account = try Account.sample(devices: [.sample(1, token: "ff", active: 9), .sample(2)])
    let outcome = try account.settingUp(.sample(3, token: "ff"), asked: .sample(), policy: two)
    #expect(try outcome == .accepted(.sample(devices: [.sample(2), .sample(3, token: "ff")]), lost: [.sample(1)]))
  }

  @Test func withoutPushNobodyIsTheSame() throws {
    var (one, two) = (try Device.sample(1), try Device.sample(2))
    (one.push, two.push) = (.none, .none)
    let outcome = try Account.sample(devices: [one]).settingUp(two, asked: .sample(), policy: self.two)
    #expect(try outcome == .accepted(.sample(devices: [one, two]), lost: []))
  }

  @Test func setUpAgainKeepsTheSlotAndADeadTokenDead() throws {
    let account = try #require(try Account.sample(devices: [.sample(1), .sample(2)]).losingPush(Device.sample(1).push, of: .sample(1)))
    #expect(try account.device(.sample(1))?.pushState == .gone)
    guard case .accepted(let same, _) = try account.settingUp(.sample(1, active: 7), asked: .sample(), policy: two),
      case .accepted(let new, _) = try account.settingUp(.sample(1, token: "new"), asked: .sample(), policy: two)
    else {
      Issue.record("not accepted")
      return
    }
    #expect(try same.devices.map { $0.id } == [.sample(1), .sample(2)])
    #expect(same.devices.first?.pushState == .gone)
    #expect(same.devices.first?.lastActive == .ms(7))
    #expect(new.devices.first?.pushState == .ok)
  }

  @Test func pushIsSetAndLost() throws {
    let account = try Account.sample(devices: [.sample(1, token: "a"), .sample(2, token: "b")])
    let push = PushAddress.apns(token: "b", topic: "t", environment: .development)
    let (after, lost) = try #require(try account.settingPush(push, of: .sample(1), now: .ms(4)))
    #expect(try lost == [.sample(2)])
    #expect(after.devices.map { $0.push } == [push])
    #expect(try after.losingPush(Device.sample(1, token: "a").push, of: .sample(1)) == nil, "a newer token lives")
    #expect(try account.settingPush(push, of: .sample(9), now: .ms(4)) == nil)
    #expect(try account.removing(.sample(1))?.devices.map { $0.id } == [.sample(2)])
    #expect(try account.removing(.sample(9)) == nil)
    #expect(try account.touching(.sample(1), now: .ms(1))?.device(.sample(1))?.lastActive == .ms(1))
    #expect(try account.touching(.sample(1), now: .ms(0)) == nil)
  }
}
