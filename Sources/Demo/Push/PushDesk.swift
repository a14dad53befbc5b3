import FoundationEssentials
import HTTP
import Primitives

/// What Apple's push service answers (Apple, "Sending notification requests to APNs" and "Handling notification responses from APNs"):
/// requests and time come in, answers go out. The first four digits of a device token choose the answer:
///
/// | digits | answer |
/// | --- | --- |
/// | `dead` | 410 Unregistered |
/// | `badd` | 400 BadDeviceToken |
/// | `b000` | 429 TooManyRequests |
/// | `fa11` | once 500 InternalServerError |
/// | `50ff` | once 503 Shutdown |
/// | `01d0` | once 403 ExpiredProviderToken: that provider token is refused from then on |
/// | `5101` | none |
struct PushDesk {
  struct Answer {
    /// 0: none is given.
    var status: Int
    var reason: String?
    /// With 410: since when the device is gone.
    var since: Instant?

    static let accepted = Answer(status: 200)
    static let none = Answer(status: 0)
  }

  /// Payloads of VoIP pushes.
  private static let payloadLimit = 5120
  private static let path = "/3/device/"

  var providerToken: ProviderTokenCheck
  /// Device tokens whose "once" is over.
  private var seen: Set<String> = []

  init(_ providerToken: ProviderTokenCheck) { self.providerToken = providerToken }

  mutating func take(_ request: HTTPRequest, now: Instant) -> (PushRecord, Answer) {
    let body = try? JSONDecoder().decode(Payload.self, from: Data(request.body))
    let answer = answer(to: request, body, now)
    let record = PushRecord(
      at: now, token: Self.token(of: request), topic: request.fields["apns-topic"] ?? "", id: request.fields["apns-id"] ?? "",
      body: request.body, sealed: body?.ringhold.flatMap { Base64.urlSafe.decode($0) }, status: answer.status, reason: answer.reason)
    return (record, answer)
  }

  private mutating func answer(to request: HTTPRequest, _ body: Payload?, _ now: Instant) -> Answer {
    guard request.path.hasPrefix(Self.path) else { return Answer(status: 404, reason: "BadPath") }
    guard request.method == "POST" else { return Answer(status: 405, reason: "MethodNotAllowed") }
    let authorization = request.fields["authorization"]
    if let refused = Self.refusal(providerToken.check(authorization, now: now)) { return refused }
    if let refused = Self.refusal(of: request, body) { return refused }
    return answer(for: Self.token(of: request), authorization ?? "", now)
  }

  private static func token(of request: HTTPRequest) -> String { String(request.path.dropFirst(path.count)).lowercased() }

  private static func refusal(_ verdict: ProviderTokenCheck.Verdict) -> Answer? {
    switch verdict {
    case .good: nil
    case .missing: Answer(status: 403, reason: "MissingProviderToken")
    case .invalid: Answer(status: 403, reason: "InvalidProviderToken")
    case .expired: Answer(status: 403, reason: "ExpiredProviderToken")
    case .tooManyUpdates: Answer(status: 429, reason: "TooManyProviderTokenUpdates")
    }
  }

  /// For what the request itself says.
  private static func refusal(of request: HTTPRequest, _ body: Payload?) -> Answer? {
    let fields = request.fields
    let token = token(of: request)
    let reason: String? =
      if body?.aps == nil { "PayloadEmpty" } else if fields["apns-topic"] == nil {
        "MissingTopic"
      } else if fields["apns-push-type"] != "voip" { "InvalidPushType" } else if fields["apns-topic"]?.hasSuffix(".voip") != true {
        "DeviceTokenNotForTopic"
      } else if !["10", "5", "1", nil].contains(fields["apns-priority"]) {
        "BadPriority"
      } else if fields["apns-expiration"].map({ Int64($0) == nil }) ?? false {
        "BadExpirationDate"
      } else if token.isEmpty || !token.utf8.allSatisfy({ Hex.value(of: $0) != nil }) { "BadDeviceToken" } else { nil }
    if let reason { return Answer(status: 400, reason: reason) }
    return request.body.count > payloadLimit ? Answer(status: 413, reason: "PayloadTooLarge") : nil
  }

  private mutating func answer(for token: String, _ authorization: String, _ now: Instant) -> Answer {
    switch token.prefix(4) {
    case "dead": return Answer(status: 410, reason: "Unregistered", since: now)
    case "badd": return Answer(status: 400, reason: "BadDeviceToken")
    case "b000": return Answer(status: 429, reason: "TooManyRequests")
    case "5101": return .none
    case "fa11" where isFirst(token): return Answer(status: 500, reason: "InternalServerError")
    case "50ff" where isFirst(token): return Answer(status: 503, reason: "Shutdown")
    case "01d0" where isFirst(token):
      providerToken.expire(authorization)
      return Answer(status: 403, reason: "ExpiredProviderToken")
    default: return .accepted
    }
  }

  private mutating func isFirst(_ token: String) -> Bool { seen.count < 100_000 && seen.insert(token).inserted }

  private struct Payload: Decodable {
    struct APS: Decodable {}
    let aps: APS?
    let ringhold: String?
  }
}

extension PushDesk.Answer {
  func response(to request: HTTPRequest) -> HTTPResponse {
    var fields = HTTPFields()
    if let id = request.fields["apns-id"] { fields.append("apns-id", id) }
    guard let reason else { return HTTPResponse(status: status, fields: fields) }
    fields.append("content-type", "application/json")
    let timestamp = since.map { ",\"timestamp\":\($0.milliseconds)" } ?? ""
    return HTTPResponse(status: status, fields: fields, body: Array("{\"reason\":\"\(reason)\"\(timestamp)}".utf8))
  }
}
