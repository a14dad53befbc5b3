import Primitives
import RESP
import Store

/// What is sent for a command of the store, and how its answer is read. Always a script: none of them is answered by a replica.
struct Question {
  let script: Script
  /// Its key and its arguments.
  let words: [Bytes]
  /// nil for what cannot be understood.
  let read: @Sendable (RESPValue) -> StoreReply?
  /// What is asked instead where Redis lacks the fixed part that the question counts on.
  var whole: [Bytes]?
  /// The fixed part that Redis has once this is done.
  var tells: (call: CallID, name: Bytes)?

  init(_ script: Script, _ key: Bytes, _ arguments: [Bytes], read: @escaping @Sendable (RESPValue) -> StoreReply? = { Self.word($0) }) {
    self.script = script
    words = [key] + arguments
    self.read = read
  }

  /// The same with the fixed part; nil where the answer is another one.
  func again(after answer: RESPValue) -> Question? {
    guard let whole, answer.bytes?.equalsText("incomplete") == true else { return nil }
    return Question(script, whole[0], Array(whole.dropFirst()), read: read)
  }

  /// The command by the script's digest, or with the script itself where Redis does not know it (yet).
  func command(withSource: Bool = false) -> [Bytes] {
    [Array(withSource ? "EVAL".utf8 : "EVALSHA".utf8), withSource ? script.source : script.digest, [UInt8(ascii: "1")]] + words
  }

  /// Answers that are one word.
  static func word(_ value: RESPValue) -> StoreReply? {
    guard let word = value.bytes?.text else { return nil }
    return switch word {
    case "done": .done
    case "conflict": .conflict
    case "fenced": .fenced
    case "full": .full
    case "noAccount": .noAccount
    case "granted": .granted
    case "busy": .busy
    case "merged": .merged
    case "retransmission": .retransmission
    case "fresh": .fresh
    case "replayed": .replayed
    case "renewed": .renewed
    case "leaseLost": .leaseLost
    case "buried": .buried
    case "leaseLives": .leaseLives
    case "nameTaken": .joinRefused(.nameTaken)
    case "otherKey": .joinRefused(.otherKey)
    case "cutOff": .unavailable
    default: nil
    }
  }

  /// A word, or a list that begins with `name`: then what follows it.
  static func read(_ value: RESPValue, _ name: String, _ rest: ([RESPValue]) -> StoreReply?) -> StoreReply? {
    guard let list = value.list else { return word(value) }
    guard list.first?.bytes?.equalsText(name) == true else { return nil }
    return rest(Array(list.dropFirst()))
  }
}

extension Bytes {
  func equalsText(_ text: String) -> Bool { elementsEqual(text.utf8) }

  init(text: some CustomStringConvertible) { self = Array(text.description.utf8) }
}

extension Instant {
  /// Whole milliseconds: a time that ends is rounded up, one that is now down.
  var endMilliseconds: Bytes { Bytes(text: nanoseconds / 1_000_000 + (nanoseconds % 1_000_000 > 0 ? 1 : 0)) }
  var nowMilliseconds: Bytes { Bytes(text: milliseconds) }
}

extension RESPValue {
  var text: String? { bytes.flatMap { String(validating: $0, as: UTF8.self) } }
  var holder: Holder? { text.flatMap { Holder($0) } }
  var epoch: Epoch? { text.flatMap { UInt64($0) }.map { Epoch(number: $0) } }
  var version: Version? { text.flatMap { UInt64($0) }.map { Version(number: $0) } }
  var call: CallID? { text.flatMap { UInt64($0, radix: 16) }.map { CallID(number: $0) } }
}

extension CallID {
  var name: Bytes { Bytes(text: String(number, radix: 16)) }
}
