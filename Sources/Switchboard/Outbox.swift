import Primitives
import Store

/// What a call does once the store has it as it is now.
struct Outbox: Sendable, Equatable {
  /// Since when it is known that the store does not hear it.
  var unheardSince: Instant?
  private(set) var actions: [Call.Action]
  /// How many of them the record that is on its way stands for.
  private var recorded = 0

  init(actions: [Call.Action]) { self.actions = actions }

  mutating func add(_ more: [Call.Action]) { actions += more }

  mutating func recordLeft() { recorded = actions.count }

  /// What may be done, and is done no more: all, where the rest needs no record of its own.
  mutating func take() -> [Call.Action] {
    guard actions.dropFirst(recorded).contains(where: \.isRecordedFirst) else { return takeAll() }
    let ready = Array(actions.prefix(recorded))
    actions.removeFirst(recorded)
    (recorded, unheardSince) = (0, nil)
    return ready
  }

  mutating func takeAll() -> [Call.Action] {
    defer { actions = [] }
    return actions
  }

  /// Announcements that have waited here until the call was over do not leave. Gives the devices that they were for.
  mutating func withdrawUnsent() -> [DeviceID] {
    let intended = Set(actions.flatMap(\.announced))
    let withdrawn = Set(actions.compactMap(\.withdrawn)).intersection(intended)
    guard !withdrawn.isEmpty else { return [] }
    let first = actions.prefix(recorded).compactMap { $0.without(withdrawn) }
    actions = first + actions.dropFirst(recorded).compactMap { $0.without(withdrawn) }
    recorded = first.count
    return withdrawn.sorted()
  }
}

extension Call.Action {
  fileprivate var announced: [DeviceID] { if case .announce(let devices) = self { devices } else { [] } }

  fileprivate var withdrawn: DeviceID? { if case .withdraw(let device) = self { device } else { nil } }

  /// nil where nothing is left of it.
  fileprivate func without(_ devices: Set<DeviceID>) -> Self? {
    switch self {
    case .announce(let all):
      let others = all.filter { !devices.contains($0) }
      return others.isEmpty ? nil : .announce(others)
    case .withdraw(let device): return devices.contains(device) ? nil : self
    default: return self
    }
  }
}
