import FoundationEssentials
import Network
import Primitives

/// What happened to one call, as its caller and its phones saw it. Times are Unix seconds.
struct Story: Encodable {
  struct Final: Encodable {
    let at: Double
    let status: Int
  }

  struct Bye: Encodable {
    let at: Double
    let isByCaller: Bool
    /// To the caller's own; nil where nothing came.
    var status: Int?
  }

  struct Device: Encodable {
    var announced: [Double] = []
    var stopped: [Double] = []
    /// When the server had confirmed it.
    var answered: Double?
    var declined: Double?
    var hungUp: Double?
    var ended: Double?
    var why: String?
    /// Wishes that failed for good, with the reason.
    var problems: [String] = []

    /// It has a wish that was not answered yet.
    var isActing = false

    /// It has acted on nothing and waits for its stop.
    var isRinging: Bool { !isActing && answered == nil && declined == nil && stopped.isEmpty && !announced.isEmpty }

    /// Nothing is to be expected any more.
    var isSettled: Bool { !isActing && !isRinging && (answered == nil || ended != nil || !problems.isEmpty) }
  }

  let call: String
  let kind: String
  let user: Int
  let transport: String
  let callID: String
  let offered: Double
  var rang: Double?
  var final: Final?
  var cancelled: Double?
  var bye: Bye?
  /// Requests of the other side in the dialog: a node that took the call over says where it is.
  var refreshes = 0
  var over: Double?
  var devices: [String: Device] = [:]

  /// How long after the end of a call its stops may still come, in seconds: a node may not have heard of that end, and rings its time.
  /// One that comes never is of a node that died between the record and the push: a stop that may have left is not sent again.
  private static let latestStop = 90.0

  func isSettled(at now: Double) -> Bool {
    guard let over else { return false }
    return devices.values.allSatisfy { $0.isSettled || ($0.isRinging && now - over > Self.latestStop) }
  }
}

/// A stop to a phone that rang for nothing.
struct Stray: Encodable {
  let user: Int
  let strayAt: Double
}

/// The stories of all calls of a run.
@LoopActor
final class Ledger {
  private var strays: [Stray] = []
  private var stories: [String: Story] = [:]
  private static let limit = 100_000

  static var now: Double { Double(Loop.unixNow().nanoseconds) / 1e9 }

  var openCount: Int {
    let now = Self.now
    return stories.values.count { !$0.isSettled(at: now) }
  }

  func begin(_ story: Story) { if stories.count < Self.limit { stories[story.call] = story } }

  func change(_ call: String, _ body: (inout Story) -> Void) {
    guard var story = stories.removeValue(forKey: call) else { return }
    body(&story)
    stories[call] = story
  }

  func stray(_ device: Int) { strays.append(Stray(user: device % LabPhone.twins, strayAt: Self.now)) }

  /// Of a call that the lab offered; others are not written down.
  func change(_ call: String, device: Int, _ body: (inout Story.Device) -> Void) {
    change(call) { body(&$0.devices[String(device), default: .init()]) }
  }

  func isSettled(_ call: String) -> Bool { stories[call]?.isSettled(at: Self.now) ?? true }

  /// Writes all of them, one JSON object a line, and forgets them.
  func write(to path: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var lines = Bytes()
    for story in stories.values.sorted(by: { $0.offered < $1.offered }) {
      lines += try encoder.encode(story)
      lines.append(10)
    }
    for stray in strays {
      lines += try encoder.encode(stray)
      lines.append(10)
    }
    try Files.write(lines, path)
    (stories, strays) = ([:], [])
  }
}
