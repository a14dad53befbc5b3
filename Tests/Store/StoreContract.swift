import Primitives
import Store
import Testing

/// What every store must do, whatever it keeps its data in: each driver runs all of it, each scenario on an empty store.
/// `perform` is the store; the moments only move forward.
typealias Perform = (StoreCommand, Instant) async throws -> StoreReply

enum StoreContract: String, CaseIterable, Sendable {
  case accountsHaveVersions, aDeviceHasOneAccount, aRemovedAccountIsGone, aNonceIsUsedOnce, oneCallIsHeld, copiesOfAnInviteAreMerged
  case anInviteThatComesAgainIsNoCopy, anInviteThatComesAgainTakesWhatWasOnlyClaimed
  case aClaimEnds, aLineHasOneCall, callsAreKept, registrationsAreKept, firstAnswersAreKept, withoutAnAccountNothingIsClaimed
  case aLeaseEnds, aNodeHasOneLife, anAccountHasOneOwner, whoIsBehindIsFenced, anAccountIsReleased, ownersAreListed
  case whoRenewsIsNotBuried, aLeaseThatTheStoreForgotIsRenewed, straysAreFound, aCallThatIsGoneHasNoLine
  case manyAreClaimedAtOnce, aRecordHasAFixedPart
  case listsComeInPages, theStoreIsFilledAgain, aCallHasOneHome, aCallIsAdopted, whatNeverBeganIsClaimedAgain,
    whatWasRefusedBeforeItBeganIsNotClaimedAgain, anEndedSlotIsRemembered,
    whatWasRemovedIsNotWrittenAgain,
    homesAreListed,
    itIsKnownWhereToGo

  func run(_ perform: @escaping Perform) async throws {
    let store = StoreUnderTest(perform: perform)
    switch self {
    case .accountsHaveVersions: try await store.accountsHaveVersions()
    case .aDeviceHasOneAccount: try await store.aDeviceHasOneAccount()
    case .aRemovedAccountIsGone: try await store.aRemovedAccountIsGone()
    case .aNonceIsUsedOnce: try await store.aNonceIsUsedOnce()
    case .oneCallIsHeld: try await store.oneCallIsHeld()
    case .copiesOfAnInviteAreMerged: try await store.copiesOfAnInviteAreMerged()
    case .anInviteThatComesAgainIsNoCopy: try await store.anInviteThatComesAgainIsNoCopy()
    case .anInviteThatComesAgainTakesWhatWasOnlyClaimed: try await store.anInviteThatComesAgainTakesWhatWasOnlyClaimed()
    case .aClaimEnds: try await store.aClaimEnds()
    case .aLineHasOneCall: try await store.aLineHasOneCall()
    case .callsAreKept: try await store.callsAreKept()
    case .registrationsAreKept: try await store.registrationsAreKept()
    case .firstAnswersAreKept: try await store.firstAnswersAreKept()
    case .withoutAnAccountNothingIsClaimed: try await store.withoutAnAccountNothingIsClaimed()
    case .aLeaseEnds: try await store.aLeaseEnds()
    case .aNodeHasOneLife: try await store.aNodeHasOneLife()
    case .anAccountHasOneOwner: try await store.anAccountHasOneOwner()
    case .whoIsBehindIsFenced: try await store.whoIsBehindIsFenced()
    case .anAccountIsReleased: try await store.anAccountIsReleased()
    case .ownersAreListed: try await store.ownersAreListed()
    case .whoRenewsIsNotBuried: try await store.whoRenewsIsNotBuried()
    case .aLeaseThatTheStoreForgotIsRenewed: try await store.aLeaseThatTheStoreForgotIsRenewed()
    case .straysAreFound: try await store.straysAreFound()
    case .aCallThatIsGoneHasNoLine: try await store.aCallThatIsGoneHasNoLine()
    case .manyAreClaimedAtOnce: try await store.manyAreClaimedAtOnce()
    case .aRecordHasAFixedPart: try await store.aRecordHasAFixedPart()
    case .listsComeInPages: try await store.listsComeInPages()
    case .theStoreIsFilledAgain: try await store.theStoreIsFilledAgain()
    case .aCallHasOneHome: try await store.aCallHasOneHome()
    case .aCallIsAdopted: try await store.aCallIsAdopted()
    case .whatNeverBeganIsClaimedAgain: try await store.whatNeverBeganIsClaimedAgain()
    case .whatWasRefusedBeforeItBeganIsNotClaimedAgain: try await store.whatWasRefusedBeforeItBeganIsNotClaimedAgain()
    case .anEndedSlotIsRemembered: try await store.anEndedSlotIsRemembered()
    case .whatWasRemovedIsNotWrittenAgain: try await store.whatWasRemovedIsNotWrittenAgain()
    case .homesAreListed: try await store.homesAreListed()
    case .itIsKnownWhereToGo: try await store.itIsKnownWhereToGo()
    }
  }
}

struct StoreUnderTest {
  let perform: Perform

  func expect(
    _ command: StoreCommand, at now: Instant = .zero, _ expected: StoreReply, _ why: Comment? = nil,
    location: SourceLocation = #_sourceLocation
  ) async throws {
    #expect(try await perform(command, now) == expected, why, sourceLocation: location)
  }

  @discardableResult func write(_ account: Account, expecting version: Version? = nil) async throws -> Version {
    guard
      case .written(let version) = try await perform(.writeAccount(account, expecting: version, by: version == nil ? nil : .alone), .zero)
    else {
      throw Unexpected()
    }
    return version
  }

  struct Unexpected: Error {}
}

extension StoreUnderTest {
  func accountsHaveVersions() async throws {
    var account = try Account.sample(devices: [.sample(1)])
    try await expect(.account(account.id), .account(nil))
    let first = try await write(account)
    try await expect(.account(account.id), .account(.init(account: account, version: first)))
    try await expect(.writeAccount(account, expecting: nil, by: nil), .conflict)
    account.user = "bob"
    let second = try await write(account, expecting: first)
    #expect(second != first)
    try await expect(.writeAccount(account, expecting: first, by: .alone), .conflict)
    try await expect(.account(account.id), .account(.init(account: account, version: second)))
  }

  func aDeviceHasOneAccount() async throws {
    let one = try Account.sample(1, devices: [.sample(1), .sample(2)])
    let version = try await write(one)
    let two = try Account.sample(2, devices: [.sample(3), .sample(2)])
    try await expect(.writeAccount(two, expecting: nil, by: nil), .keyInUse(.sample(2)))
    try await expect(.account(two.id), .account(nil))
    try await expect(.accountOf(.sample(3)), .accountOf(nil))
    try await expect(.accountOf(.sample(2)), .accountOf(one.id))
    try await write(.sample(1, devices: [.sample(1)]), expecting: version)
    try await expect(.accountOf(.sample(2)), .accountOf(nil))
    try await write(two)
    try await expect(.accountOf(.sample(2)), .accountOf(two.id))
  }

  func aRemovedAccountIsGone() async throws {
    let account = try Account.sample(devices: [.sample(1)])
    let version = try await write(account)
    try await expect(.saveCall(account.id, .sample(1), [1], home: .alone), .done)
    try await expect(.saveRegistration(account.id, [2], by: .alone), .done)
    try await expect(.claimLine(account.id, .sample(1), line: 1, .sample(1), home: .alone), .granted)
    try await expect(.removeAccount(account.id, expecting: Version(number: version.number + 7), by: .alone), .conflict)
    try await expect(.removeAccount(account.id, expecting: version, by: .alone), .done)
    try await expect(.removeAccount(account.id, expecting: version, by: .alone), .conflict)
    try await expect(.accountOf(.sample(1)), .accountOf(nil))
    #expect(try await write(account) != version, "a version never comes back")
    try await expect(.calls(account.id), .calls([]))
    try await expect(.registration(account.id), .record(nil))
    try await expect(.claimLine(account.id, .sample(1), line: 1, .sample(2), home: .alone), .granted)
  }

  func aNonceIsUsedOnce() async throws {
    let (one, two) = (try DeviceID.sample(1), try DeviceID.sample(2))
    try await expect(.useNonce(one, nonce: [1], until: .ms(100)), .fresh)
    try await expect(.useNonce(one, nonce: [1], until: .ms(150)), at: .ms(50), .replayed)
    try await expect(.useNonce(two, nonce: [1], until: .ms(150)), at: .ms(50), .fresh)
    try await expect(.useNonce(one, nonce: [2], until: .ms(150)), at: .ms(50), .fresh)
    try await expect(.useNonce(one, nonce: [1], until: .ms(199)), at: .ms(99), .replayed)
    try await expect(.useNonce(one, nonce: [1], until: .ms(200)), at: .ms(100), .fresh)
  }

  func firstAnswersAreKept() async throws {
    let (one, two) = (try DeviceID.sample(1), try DeviceID.sample(2))
    try await expect(.recall(one, key: "k"), .record(nil))
    try await expect(.remember(one, key: "k", reply: [1], until: .ms(60)), .done)
    try await expect(.remember(one, key: "k", reply: [2], until: .ms(90)), at: .ms(30), .done)
    try await expect(.recall(one, key: "k"), at: .ms(59), .record([1]))
    try await expect(.recall(two, key: "k"), at: .ms(59), .record(nil))
    try await expect(.recall(one, key: "k"), at: .ms(60), .record(nil))
    try await expect(.remember(one, key: "k", reply: [3], until: .ms(120)), at: .ms(60), .done)
    try await expect(.recall(one, key: "k"), at: .ms(61), .record([3]))
  }
}
