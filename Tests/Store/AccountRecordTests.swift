import Primitives
import Store
import Testing

@Suite struct AccountRecordTests {
  /// Every field that there is.
  func whole() throws -> Account {
    var devices = try [Device.sample(1, active: 1_764_480_000_123), .sample(2), .sample(3)]
    devices[1] = Device(
      id: try .sample(2), mode: .callback, signKey: DeviceKey(kty: "EC", crv: "P-256", x: "x", y: "y"),
      push: .webPush(endpoint: "https://e", p256dh: "p", auth: "a"), pushState: .gone, lastActive: .ms(1))
    devices[2].push = .fcm(token: "f")
    return Account(
      id: try .sample(7), registrar: "r.net", user: "u", domain: "d.net", authUser: "au", credentials: [.sample, .other], transport: .tls,
      outboundProxy: "p.net", expires: 600, devices: devices)
  }

  @Test func isReadBack() throws {
    #expect(try Account(record: whole().record) == whole())
    var small = try Account.sample(devices: [.sample(1)])
    small.devices[0].push = .none
    #expect(try Account(record: small.record) == small)
  }

  /// What this version writes; a later one has to read it.
  @Test func hasGoldenBytes() throws {
    let golden = """
      0a1001010101010101010101010101010101120f7369702e6578616d706c652e6e65741a05616c696365220b6578616d706c652e6e657432210a0b65\
      78616d706c652e6e657410011a10abababababababababababababababab38015283010a2b4151454241514542415145424151454241514542415145\
      4241514542415145424151454241514542415145120770686f6e652031180122120a034f4b501207456432353531391a0278312a110a034f4b501206\
      5832353531391a027331321b080112036161311a10636f6d2e6578616d706c652e766f69702001380140c096b102
      """
    let account = try Account.sample(devices: [.sample(1, active: 5)])
    #expect(Hex.encode(account.record) == golden)
    #expect(try Account(record: #require(Hex.decode(golden))) == account)
  }

  @Test func cutAnywhereItThrows() throws {
    let bytes = try whole().record
    for count in bytes.indices { _ = try? Account(record: bytes.prefix(count)) }
    #expect(throws: RecordError.self) { try Account(record: bytes.dropLast()) }
  }

  @Test func whatTheNextVersionAddsIsSkipped() throws {
    var bytes = try whole().record
    var writer = RecordWriter()
    writer.write(99, "later")
    bytes += writer.bytes
    #expect(try Account(record: bytes) == whole())
  }

  @Test func nothingSecretIsPrinted() throws {
    let account = try whole()
    let store = StoreReply.account(.init(account: account, version: Version(number: 1)))
    var dumped = ""
    dump(account, to: &dumped)
    dump(account.devices, to: &dumped)
    dump(account.credentials, to: &dumped)
    dump(store, to: &dumped)
    dump(StoreCommand.writeAccount(account, expecting: nil, by: nil), to: &dumped)
    dumped += "\(account) \(account.devices) \(String(reflecting: account.credentials)) \(store)"
    for secret in ["r.net", "\"u\"", "171", "abab", "aa1", "phone 1", "https"] { #expect(!dumped.contains(secret)) }
    #expect("\(account)" == "Account(07070707070707070707070707070707)")
  }

  @Test func identifiers() throws {
    #expect(CallID(number: 0).description == "aaaaaaaaaaaaa")
    #expect(CallID(number: .max).description == "p777777777777")
    #expect(AccountID(bytes: [1]) == nil)
    #expect(DeviceID("short") == nil)
    #expect(DeviceID(String(repeating: "A", count: 42) + "B") == nil, "bits left over")
  }
}
