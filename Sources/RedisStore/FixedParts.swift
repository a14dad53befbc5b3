import Primitives
import Store

/// The fixed parts of calls' records that Redis has been told, by their names. It may have lost them: then it says so.
struct FixedParts: Sendable {
  private var names: [CallID: Bytes] = [:]

  /// Calls that are adopted by others never say that they are over.
  private static let most = 100_000

  func has(_ name: Bytes, of call: CallID) -> Bool { names[call] == name }

  mutating func told(_ name: Bytes, of call: CallID) {
    if names.count >= Self.most { names = [:] }
    names[call] = name
  }

  mutating func forget(_ call: CallID) { names[call] = nil }
}
