import Cryptography
import Primitives
import RESP
import Store

/// Nonces and remembered answers of devices.
extension StoreScribe {
  func useNonce(_ device: DeviceID, _ nonce: Bytes, _ until: Instant, _ now: Instant) -> Question {
    let arguments = [nonce, until.endMilliseconds, now.nowMilliseconds, Bytes(text: limits.noncesPerDevice)]
    return Question(Scripts.useNonce, Layout.nonces(device.text), arguments)
  }

  func recall(_ device: DeviceID, _ key: String, _ now: Instant) -> Question {
    let name = Self.name(of: key)
    return Question(Scripts.fields, Layout.answers(device.text), [[UInt8(ascii: "t")] + name, [UInt8(ascii: "r")] + name]) { value in
      guard let list = value.list, list.count == 2 else { return nil }
      guard let until = list[0].number, until > now.milliseconds, let sealed = list[1].bytes else { return .record(nil) }
      return seal.open(sealed, .answer, of: Bytes(text: device.text), name: Hex.encode(name)).map { .record($0) }
    }
  }

  func remember(_ device: DeviceID, _ key: String, _ reply: Bytes, _ until: Instant, _ now: Instant) -> Plan {
    guard reply.count <= limits.recordBytes else { return .answer(.full) }
    let name = Self.name(of: key)
    let sealed = seal.seal(reply, .answer, of: Bytes(text: device.text), name: Hex.encode(name))
    let arguments = [name, sealed, until.endMilliseconds, now.nowMilliseconds, Bytes(text: limits.repliesPerDevice)]
    return .ask(Question(Scripts.remember, Layout.answers(device.text), arguments))
  }

  /// Phones choose their keys: a hash says nothing of them, and has one length.
  private static func name(of key: String) -> Bytes { Array(Hash.sha256(Array(key.utf8)).prefix(16)) }
}

/// Leases.
extension StoreScribe {
  func join(_ node: NodeID, _ address: String, after last: UInt64, _ offset: Duration) -> Question {
    let arguments = [
      Bytes(text: offset.wholeMilliseconds), Bytes(text: node), Bytes(text: address), Bytes(text: last), Self.lease,
      Bytes(text: limits.nodes), seal.mark,
    ]
    return Question(Scripts.join, Layout.nodes, arguments) { value in
      Question.read(value, "joined") { parts in
        parts.first?.text.flatMap { UInt64($0) }.map { .joined(Holder(node: node, incarnation: $0)) }
      }
    }
  }

  private static let lease = Bytes(text: Member.lease.wholeMilliseconds)

  func renew(_ holder: Holder, _ address: String?, _ offset: Duration) -> Question {
    let arguments = [
      Bytes(text: offset.wholeMilliseconds), Bytes(text: holder.node), Bytes(text: holder.incarnation), Bytes(text: address ?? ""),
      Self.lease, Bytes(text: limits.nodes),
    ]
    return Question(Scripts.renew, Layout.nodes, arguments) { value in Question.read(value, "renewed") { _ in .renewed } }
  }

  func bury(_ holder: Holder, unrenewedFor pause: Duration, _ offset: Duration) -> Question {
    Question(Scripts.bury, Layout.nodes, burial(holder, pause, offset))
  }

  /// Whatever its lease says.
  func leave(_ holder: Holder, _ offset: Duration) -> Question {
    Question(Scripts.bury, Layout.nodes, burial(holder, .zero, offset)) { Question.word($0) == .buried ? .done : nil }
  }

  private func burial(_ holder: Holder, _ pause: Duration, _ offset: Duration) -> [Bytes] {
    [
      Bytes(text: offset.wholeMilliseconds), Bytes(text: holder.node), Bytes(text: holder.incarnation),
      Bytes(text: pause.wholeMilliseconds), Self.lease,
    ]
  }

  func strays(_ asking: Holder, _ offset: Duration) -> Question {
    let arguments = [Bytes(text: offset.wholeMilliseconds), Bytes(text: asking), Bytes(text: Strays.most)]
    return Question(Scripts.strays, Layout.nodes, arguments) { value in
      guard let parts = value.list, parts.count == 4, let unowned = parts[0].number, let owned = parts[1].number,
        let dead = parts[2].list, let silent = parts[3].list
      else { return nil }
      let strays = Strays(
        unowned: Int(unowned), owned: Int(owned), dead: dead.compactMap(\.holder).sorted(), silent: silent.compactMap(\.holder).sorted())
      return strays.dead.count == dead.count && strays.silent.count == silent.count ? .strays(strays) : nil
    }
  }

  func members(_ offset: Duration) -> Question {
    Question(Scripts.members, Layout.nodes, [Bytes(text: offset.wholeMilliseconds)]) { value in
      guard let list = value.list else { return nil }
      let members = list.compactMap { Self.member($0) }
      return members.count == list.count ? .members(members.sorted { $0.holder.node < $1.holder.node }) : nil
    }
  }

  private static func member(_ entry: RESPValue) -> Member? {
    guard let parts = entry.list, parts.count == 4, let node = parts[0].text.flatMap({ NodeID($0) }),
      let incarnation = parts[1].text.flatMap({ UInt64($0) }), let address = parts[2].text, let rest = parts[3].number
    else { return nil }
    return Member(holder: Holder(node: node, incarnation: incarnation), peerAddress: address, remaining: .milliseconds(rest))
  }
}
