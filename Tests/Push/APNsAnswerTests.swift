import FoundationEssentials
import Primitives
import Testing

@testable import Push

@Suite struct APNsAnswerTests {
  struct Row: Decodable, Sendable, CustomTestStringConvertible {
    let status: Int?
    let reason: String?
    let action: String

    var testDescription: String { "\(status ?? 0) \(reason ?? "")" }
  }

  struct Table: Decodable { let responses: [Row] }

  static func rows() throws -> [Row] {
    let url = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Data/apns-reasons.json")
    return try JSONDecoder().decode(Table.self, from: Data(contentsOf: url)).responses.filter { $0.status != nil }
  }

  @Test(arguments: try rows()) func everyReasonIsKnown(row: Row) throws {
    let answer = APNsAnswer(status: try #require(row.status), reason: row.reason)
    let expected: APNsAnswer.Verdict =
      switch row.action {
      case "accepted": .accepted
      case "drop_token": .tokenGone(since: nil)
      case "back_off_retry", "new_connection_retry": .retry
      case "refresh_jwt_retry": .tokenExpired
      case "back_off_no_retry_for_call": .refused(.throttled)
      case "reject_config": .refused(.configuration)
      default: .refused(.request)
      }
    #expect(answer.verdict == expected)
  }

  @Test func theTableIsThere() throws { #expect(try Self.rows().count > 30) }

  @Test func whatIsNewGoesByTheStatus() {
    #expect(APNsAnswer(status: 410, since: .ms(5)).verdict == .tokenGone(since: .ms(5)))
    #expect(APNsAnswer(status: 502).verdict == .retry)
    #expect(APNsAnswer(status: 503, reason: "New").verdict == .retry)
    #expect(APNsAnswer(status: 400, reason: "New").verdict == .refused(.request))
    #expect(APNsAnswer(status: 403, reason: "New").verdict == .refused(.configuration))
    #expect(APNsAnswer(status: 429).verdict == .refused(.throttled))
    #expect(APNsAnswer(status: 302).verdict == .refused(.request))
  }
}
