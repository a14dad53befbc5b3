/// What nobody takes care of.
public struct Strays: Sendable, Equatable {
  /// Accounts without an owner.
  public var unowned: Int
  /// Accounts that whoever asks owns: where it does not know of one, an answer was lost.
  public var owned: Int
  /// They are dead, and own accounts or are the home of calls: both may be taken over. In order, `most` at most.
  public var dead: [Holder]
  /// They own accounts or are the home of calls, and have no lease; nobody has judged them yet. In order, `most` at most.
  public var silent: [Holder]

  public init(unowned: Int = 0, owned: Int = 0, dead: [Holder] = [], silent: [Holder] = []) {
    self.unowned = unowned
    self.owned = owned
    self.dead = dead
    self.silent = silent
  }

  public static let most = 32
}
