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
    let words = [Array("HMGET".utf8), Layout.answers(device.text), [UInt8(ascii: "t")] + name, [UInt8(ascii: "r")] + name]
    return Question(words) { value in
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
  func join(_ node: NodeID, _ address: String, _ offset: Duration) -> Question {
    let arguments = [
      Bytes(text: offset.wholeMilliseconds), Bytes(text: node), Bytes(text: address), Bytes(text: Member.lease.wholeMilliseconds),
      Bytes(text: limits.nodes),
    ]
    return Question(Scripts.join, Layout.nodes, arguments) { value in
      Question.read(value, "joined") { parts in
        parts.first?.text.flatMap { UInt64($0) }.map { .joined(Holder(node: node, incarnation: $0)) }
      }
    }
  }

  func onLease(_ script: Script, _ holder: Holder, _ offset: Duration) -> Question {
    let arguments = [
      Bytes(text: offset.wholeMilliseconds), Bytes(text: holder.node), Bytes(text: holder.incarnation),
      Bytes(text: Member.lease.wholeMilliseconds),
    ]
    return Question(script, Layout.nodes, arguments)
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
