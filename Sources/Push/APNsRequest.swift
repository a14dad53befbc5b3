import HTTP
import Primitives

/// One push as it goes to Apple. Sent again, it carries the same `apns-id`.
struct APNsRequest: Sendable, Discreet {
  let address: APNsAddress
  let id: String
  let body: Bytes

  init(sealed: Bytes, to address: APNsAddress, random: inout SeededRandom) {
    self.address = address
    id = Self.uuid(from: &random)
    var body = Bytes()
    body.reserveCapacity(sealed.count * 4 / 3 + 32)
    body.append(#"{"aps":{},"ringhold":""#)
    body.append(text: Base64.urlSafe.encode(sealed))
    body.append(#""}"#)
    self.body = body
  }

  /// The fields that the phone contract lists; the client names the authority. A push that waited would ring for a call that is over, so it expires at once; none is
  /// collapsed with another, since the stop must not take the place of the call.
  func message(providerToken: String) -> HTTPRequest {
    HTTPRequest(
      method: "POST", authority: "", path: "/3/device/" + address.token,
      fields: [
        "authorization": "bearer " + providerToken, "apns-id": id, "apns-push-type": "voip", "apns-topic": address.topic,
        "apns-priority": "10", "apns-expiration": "0", "content-type": "application/json",
      ],
      body: body)
  }

  /// RFC 9562 §5.4, version 4.
  private static func uuid(from random: inout SeededRandom) -> String {
    var bytes = random.bytes(16)
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    var text = Hex.digits(of: bytes)
    for place in [20, 16, 12, 8] { text.insert(UInt8(ascii: "-"), at: place) }
    return text.text
  }
}
