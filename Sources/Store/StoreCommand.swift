public import Primitives

/// Everything that is asked of a store. Each command is one step that no other one comes between. Each may also get `unavailable`.
public enum StoreCommand: Sendable, Discreet {
  /// → `account`
  case account(AccountID)
  /// → `accountOf`
  case accountOf(DeviceID)
  /// Writes the account where its version is still `expecting` (nil: it does not exist), and who owns which device key. `by` is nil
  /// only to create it: then nobody owns it yet. → `written`, `conflict`, `keyInUse`, `full`, `fenced`
  case writeAccount(Account, expecting: Version?, by: Fence?)
  /// Removes the account and all that hangs on it. → `done`, `conflict`, `fenced`
  case removeAccount(AccountID, expecting: Version, by: Fence)

  /// A nonce of a device's signature, remembered until then. → `fresh`, `replayed`, `full`
  case useNonce(DeviceID, nonce: Bytes, until: Instant)

  // Whatever concerns a call carries its home, and gets `fenced` where the call has another one.

  /// The one place for a held call; asked again for the same call, it is extended. → `granted`, `busy`, `merged` where a copy of its
  /// INVITE has it or had it a moment ago, `retransmission` where that came with the very INVITE, `noAccount`, `fenced`. A dead home
  /// that has only claimed, and saved nothing, told nobody: the very INVITE takes the place from it.
  case claimHeld(AccountID, CallID, merge: MergeKey, until: Instant, home: Holder)
  /// → `done`, `fenced`. Does nothing where another call is held.
  case releaseHeld(AccountID, CallID, home: Holder)
  /// The call's slot is one of the past, also where the store has lost that it had it: copies of its INVITE that come late are `merged`.
  /// → `done`, `noAccount`, `fenced`
  case endHeld(AccountID, CallID, merge: MergeKey, home: Holder)
  /// As if it had never been claimed: nobody was told of the call, and another copy of its INVITE may begin it. `isOver`: the call itself
  /// has been refused, and who claims for it once more is `fenced`. → `done`, `fenced`
  case unclaimHeld(AccountID, CallID, isOver: Bool, home: Holder)

  /// Line 1 or 2 of a device, for a call. → `granted` (also where it has it), `busy` (also where there is no such device),
  /// `noAccount`, `fenced`
  case claimLine(AccountID, DeviceID, line: Int, CallID, home: Holder)
  /// → `done`, `fenced`. Does nothing where another call has the line.
  case releaseLine(AccountID, DeviceID, line: Int, CallID, home: Holder)

  /// A call as its home knows it. The first `fixed` bytes of the record are the same as long as the call is there: a store may keep them
  /// apart and hear them once. → `done`, `full`, `noAccount`, `fenced`, `merged` where it was removed a moment ago
  case saveCall(AccountID, CallID, Bytes, fixed: Int = 0, home: Holder)
  /// The call, and its held slot, go over from a dead home to another one. → `adopted`, `noAccount`, `fenced` where it is not at
  /// `from`, or `from` is not dead. Asked again by the home that has it: `adopted`.
  case adoptCall(AccountID, CallID, from: Holder, to: Holder)
  /// The call, and the lines that it still has. → `done`, `fenced`
  case removeCall(AccountID, CallID, home: Holder)
  /// Also one that has claimed the held slot and saved nothing yet: with an empty record. → `calls`
  case calls(AccountID)

  /// The registration as its owner knows it. → `done`, `full`, `noAccount`, `fenced`
  case saveRegistration(AccountID, Bytes, by: Fence)
  /// → `record`
  case registration(AccountID)

  /// The answer that was given under an idempotency key. → `record`
  case recall(DeviceID, key: String)
  /// → `done`, `full`: then it is not remembered. The first answer stays.
  case remember(DeviceID, key: String, reply: Bytes, until: Instant)

  // MARK: Who is there

  /// A new life of the node: its incarnation is greater than any before, and than `after`, which the node itself remembers; its former
  /// ones are dead. → `joined`, `full`
  case joinCluster(NodeID, peerAddress: String, after: UInt64)
  /// For `Member.lease` from now, also where the lease has run out or the store has lost it. nil: the address is what it was.
  /// → `renewed`, `full`, `leaseLost` where the holder is dead: it was buried, or its node has a newer life
  case renewLease(Holder, peerAddress: String?)
  /// Makes the holder dead for ever where its lease was not renewed for so long (for `Member.lease`: it has run out). One that the store
  /// does not know counts as renewed now. → `buried` (also where it was dead already), `leaseLives`
  case buryLease(Holder, unrenewedFor: Duration)
  /// The holder goes: it is dead from now on. → `done`
  case leaveCluster(Holder)
  /// → `members`
  case members

  // MARK: Who owns what

  /// Makes the holder the account's owner where nobody owns it, or its owner is dead and the stored epoch equals `expecting`. The epoch
  /// grows. Asked again by the owner: `owned`, with the epoch that it has. → `owned`, `ownedBy`, `noAccount`
  case claimOwner(AccountID, Holder, expecting: Epoch?)
  /// The same for many, `claimsAtOnce` at most, each with its epoch. → `claims`, what `claimOwner` would get for each of them
  case claimOwners([StoreReply.ListedAccount], Holder)
  /// Nobody owns the account; its epoch stays. → `done`, `fenced`
  case releaseOwner(AccountID, Fence)
  /// Accounts that the holder owns (nil: that nobody owns), those behind `after` in the order of their ids.
  /// → `accounts`, `pageSize` at most
  case accountsOwned(by: Holder?, after: AccountID?)
  /// Accounts that have a call at home there. → `accounts`, `pageSize` at most
  case homesOf(Holder, after: AccountID?)
  /// What nobody takes care of, as the holder sees it. → `strays`
  case strays(Holder)
  /// → `whereabouts`, `noAccount`
  case whereabouts(AccountID)
  /// Writes what an owner knows after the store came back empty or behind: where the account is missing, its epoch is older, or equal
  /// with the same holder. Calls that are there stay, unless they have the same home. → `done`; `fresh` where it was missing, `granted`
  /// where it was there and not this owner's; `full`, `fenced`
  case restore(Snapshot, by: Fence)

  /// How many accounts a list holds at most.
  public static let pageSize = 500
  /// Short enough that nobody who asks the store for something else waits for long.
  public static let claimsAtOnce = 50
}
