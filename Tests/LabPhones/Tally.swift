import FoundationEssentials
import Network
import PhoneContract
import Primitives

/// Counts what happens to all phones, and sees what happens twice.
@LoopActor
final class Tally {
  private(set) var counts: [String: Int] = [:]
  /// Announcements of each device and call: of the latest ones.
  private var announced: [String: Int] = [:]
  private static let limit = 200_000

  func count(_ what: String, by amount: Int = 1) { counts[what, default: 0] += amount }

  func set(_ what: String, to value: Int) { counts[what] = value }

  /// The worst that there was.
  func raise(_ what: String, to value: Int) { counts[what] = max(counts[what] ?? 0, value) }

  /// One announcement of the call to the device. `call` is the caller's name, which the lab makes new for each call.
  func announced(_ call: String, to device: Int) {
    count("announcements")
    if announced.count >= Self.limit { announced = [:] }
    announced["\(device) \(call)", default: 0] += 1
    if announced["\(device) \(call)"] ?? 0 > 1 { count("doubles") }
  }

  var json: Bytes {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    return (try? encoder.encode(counts)).map { Bytes($0) } ?? []
  }
}
