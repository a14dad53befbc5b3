public import Network
public import Primitives
public import SIP

/// RFC 3263 as a function: from a destination and what name servers have said so far, either what to ask next or where to go. It
/// starts from the beginning each time, so it holds no state.
public enum SIPLocator {
  public enum Question: Hashable, Sendable {
    case naptr(String)
    case srv(String)
    case addresses(String)
  }

  /// Empty where there is no such record, or nobody could say.
  public enum Reply: Hashable, Sendable {
    case naptr([NAPTRRecord])
    case srv([SRVRecord])
    case addresses([IPAddress])
  }

  public enum Step: Equatable, Sendable {
    case ask(Set<Question>)
    /// In the order in which they are to be tried. Empty: nowhere.
    case go([Target])
  }

  /// More targets and records than that are left out.
  static let limit = 16

  /// - Parameters:
  ///   - usable: the transports that we have.
  ///   - random: for the choice by weight; the same for each step of one search.
  public static func step(
    _ wanted: SIPDestination, _ replies: [Question: Reply], usable: Set<Transport> = Set(Transport.allCases), random: SeededRandom
  ) -> Step {
    var search = SIPSearch(replies: replies, random: random)
    let targets = search.targets(wanted, usable)
    guard search.missing.isEmpty else { return .ask(search.missing) }
    return .go(Array(targets.uniqued().prefix(limit)))
  }
}

extension [Target] {
  fileprivate func uniqued() -> [Target] {
    var seen: Set<Target> = []
    return filter { seen.insert($0).inserted }
  }
}
