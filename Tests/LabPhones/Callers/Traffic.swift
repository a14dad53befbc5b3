import Network
import PhoneContract
import Primitives
import SIP

/// Calls of every kind, so many a second, each to the account that has been without one for longest.
@LoopActor
final class Traffic {
  private let line: CallerLine
  private let ledger: Ledger
  private let tally: Tally
  private let domain: String
  private var random: SeededRandom
  private var timer: LoopTimer?
  private var rate = 0
  private var next = Instant.zero
  private var serial = 0
  /// Accounts without a call.
  private var free: [Int] = []
  private var known = 0
  /// Accounts whose caller is done, while a phone may still hear of it.
  private var settling: [(user: Int, call: String, until: Instant)] = []
  private let run: String

  /// A phone that has heard nothing for so long will hear nothing any more.
  private static let longestSettling = Duration.seconds(75)
  static let highestRate = 500

  init(_ line: CallerLine, ledger: Ledger, tally: Tally, domain: String) {
    (self.line, self.ledger, self.tally, self.domain) = (line, ledger, tally, domain)
    let seed = UInt64(Loop.unixNow().milliseconds)
    random = SeededRandom(seed: seed)
    run = random.token(4).text
  }

  /// Calls a second from now on, to these accounts; 0 ends it.
  func offer(_ rate: Int, accounts: Int) {
    if known < accounts { free += known..<accounts }
    known = max(known, accounts)
    self.rate = min(rate, Self.highestRate)
    next = Loop.now()
    timer?.cancel()
    if rate > 0 { tick() }
  }

  private func tick() {
    collect()
    while next <= Loop.now() {
      call()
      next = next + .seconds(1) / rate
    }
    timer = Loop.at(next) { [weak self] in self?.tick() }
  }

  /// Accounts whose phones have heard the end too are free again.
  private func collect() {
    let now = Loop.now()
    settling.removeAll { entry in
      guard ledger.isSettled(entry.call) || entry.until <= now else { return false }
      free.append(entry.user)
      return true
    }
  }

  private func call() {
    guard !free.isEmpty, let kind = CallKind.deck.randomElement(using: &random) else { return tally.count("no_free_account") }
    let user = free.removeFirst()
    serial += 1
    let name = "\(kind.rawValue) \(run)-\(serial)"
    let callID = random.token(22)
    let call = LabCall(name, kind, invite: invite(name, user, callID), over: line, ledger: ledger) { [weak self] in
      self?.settling.append((user, name, Loop.now() + Self.longestSettling))
    }
    let transport = LabPhone.transport(of: user).rawValue
    ledger.begin(Story(call: name, kind: kind.rawValue, user: user, transport: transport, callID: callID.text, offered: Ledger.now))
    tally.count("calls")
    call.begin()
  }

  private func invite(_ name: String, _ user: Int, _ callID: Bytes) -> Request {
    let to = "sip:\(LabPhone.user(user))@\(domain)"
    return MessageBuilder.request(.invite, uri: Bytes(to.utf8), body: sdp) { builder in
      builder.append(.maxForwards, "70")
      builder.append(.from, Bytes("\"\(name)\" <sip:caller@\(domain)>;tag=\(random.token(10).text)".utf8))
      builder.append(.to, Bytes("<\(to)>".utf8))
      builder.append(.callID, callID)
      builder.append(.cSeq, "1 INVITE")
      builder.append(.contact, Bytes("<sip:caller@".utf8) + line.address + Bytes(">".utf8))
      builder.append(.allow, "INVITE, ACK, CANCEL, BYE, OPTIONS, UPDATE, INFO")
      builder.append(.contentType, "application/sdp")
    }
  }

  private var sdp: Bytes {
    let ip = line.local.ip.text
    let lines = [
      "v=0", "o=caller 1 1 IN IP4 \(ip)", "s=-", "c=IN IP4 \(ip)", "t=0 0", "m=audio 42000 RTP/AVP 8 0", "a=rtpmap:8 PCMA/8000",
      "a=rtpmap:0 PCMU/8000", "",
    ]
    return Bytes(lines.joined(separator: "\r\n").utf8)
  }
}
