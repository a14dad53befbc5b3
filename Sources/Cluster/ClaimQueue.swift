import Store

/// Accounts that wait to be claimed: those with a call, then the others, each in the order of coming.
struct ClaimQueue: Sendable, Equatable {
  private var urgent = Row()
  private var ordinary = Row()
  private var waiting: Set<AccountID> = []

  private struct Row: Sendable, Equatable {
    private var accounts: [StoreReply.ListedAccount] = []
    private var first = 0

    mutating func append(_ account: StoreReply.ListedAccount) { accounts.append(account) }

    mutating func next() -> StoreReply.ListedAccount? {
      guard first < accounts.count else {
        (accounts, first) = ([], 0)
        return nil
      }
      defer { first += 1 }
      return accounts[first]
    }
  }

  var isEmpty: Bool { waiting.isEmpty }

  /// One that waits already may become urgent.
  mutating func append(_ account: StoreReply.ListedAccount, isUrgent: Bool) {
    let isNew = waiting.insert(account.id).inserted
    if isUrgent { urgent.append(account) } else if isNew { ordinary.append(account) }
  }

  /// The first ones, each once.
  mutating func take(_ most: Int) -> [StoreReply.ListedAccount] {
    var taken: [StoreReply.ListedAccount] = []
    while taken.count < most, let next = urgent.next() ?? ordinary.next() {
      if waiting.remove(next.id) != nil { taken.append(next) }
    }
    return taken
  }
}
