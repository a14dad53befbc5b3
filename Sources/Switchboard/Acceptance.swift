import Primitives
import SIP

/// Why an INVITE is refused before anybody is told (RFC 3261 §8.2, RFC 4028 §9).
struct Refusal: Error {
  let why: Note.Rejection
  let status: Int
  /// What the refusal names: options for 420, the interval for 422.
  var unsupported: [Slice] = []

  func response(to invite: Request, toTag: Bytes) -> Response {
    Response.make(to: invite, status: status, toTag: toTag) { builder in
      if status == 420 { builder.append(unsupported: unsupported) }
      if status == 422 { builder.append(.minSE) { $0.append(decimal: Switchboard.minimumInterval) } }
      if status == 415 { builder.append(.accept, "application/sdp") }
    }
  }
}

extension Request {
  /// Whether the sender takes a session description as the answer; without Accept he does (RFC 3261 §20.1, RFC 4475 §3.3.15).
  var acceptsSessionDescription: Bool {
    !message.has(.accept)
      || message.values(.accept).compactMap { MediaType($0) }.contains { $0.isSDP || $0.is("application", "*") || $0.is("*", "*") }
  }

  /// What it requires and we do not know (RFC 3261 §8.2.2.3).
  var unknownOptions: [Slice] { message.require.filter { !$0.equalsIgnoringCase("timer") } }
}

extension MessageBuilder {
  mutating func append(unsupported options: [Slice]) {
    append(.unsupported) { $0.append(contentsOf: options.joined(separator: [44, 32])) }
  }
}

extension Switchboard {
  /// Seconds; a session that wants to be refreshed more often is refused (RFC 4028 §4).
  static let minimumInterval: UInt32 = 90

  /// What the INVITE offers, nil for nothing; or why it is not taken.
  func acceptable(_ invite: Request) throws(Refusal) -> Bytes? {
    let unknown = invite.unknownOptions
    guard unknown.isEmpty else { throw Refusal(why: .badExtension, status: 420, unsupported: unknown) }
    if invite.message.supports("timer"), let interval = invite.message.sessionExpires, interval.seconds < Self.minimumInterval {
      throw Refusal(why: .intervalTooSmall, status: 422)
    }
    guard invite.acceptsSessionDescription else { throw Refusal(why: .unsupportedBody, status: 406) }
    do {
      return try invite.sessionDescription.map { Array($0) }
    } catch {
      throw Refusal(why: .unsupportedBody, status: error.status)
    }
  }
}
