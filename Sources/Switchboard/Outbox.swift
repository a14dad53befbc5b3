import Primitives
import Store

/// What a call does once the store has it as it is now.
struct Outbox: Sendable, Equatable {
  /// Since when it is known that the store does not hear it.
  var unheardSince: Instant?
  var actions: [Call.Action]

  /// Announcements that have waited here until the call was over do not leave. Gives the devices that they were for.
  mutating func withdrawUnsent() -> [DeviceID] {
    let intended = Set(actions.flatMap { (action) -> [DeviceID] in if case .announce(let devices) = action { devices } else { [] } })
    let withdrawn = actions.compactMap { if case .withdraw(let device) = $0, intended.contains(device) { device } else { nil } }
    guard !withdrawn.isEmpty else { return [] }
    actions = actions.compactMap { action in
      switch action {
      case .announce(let devices):
        let others = devices.filter { !withdrawn.contains($0) }
        return others.isEmpty ? nil : .announce(others)
      case .withdraw(let device): return withdrawn.contains(device) ? nil : action
      default: return action
      }
    }
    return withdrawn
  }
}
