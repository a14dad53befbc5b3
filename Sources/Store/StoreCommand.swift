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

  /// The one place for a held call. `merge` tells the copies of a forked INVITE (hash of Call-ID, From tag and CSeq, RFC 3261
  /// §8.2.2.2); asked again for the same call, it is extended. → `granted`, `busy`, `merged`, `noAccount`, `fenced`
  case claimHeld(AccountID, CallID, merge: Bytes, until: Instant, home: Holder)
  /// → `done`, `fenced`. Does nothing where another call is held.
  case releaseHeld(AccountID, CallID, home: Holder)

  /// Line 1 or 2 of a device, for a call. → `granted` (also where it has it), `busy` (also where there is no such device),
  /// `noAccount`, `fenced`
  case claimLine(AccountID, DeviceID, line: Int, CallID, home: Holder)
  /// → `done`, `fenced`. Does nothing where another call has the line.
  case releaseLine(AccountID, DeviceID, line: Int, CallID, home: Holder)

  /// A call as its home knows it. → `done`, `full`, `noAccount`, `fenced`
  case saveCall(AccountID, CallID, Bytes, home: Holder)
  /// The call, and its held slot, go over to another home. → `adopted`, `noAccount`, `fenced` where it is not at `from`. Asked again
  /// by the home that has it: `adopted`.
  case adoptCall(AccountID, CallID, from: Holder, to: Holder)
  /// → `done`, `fenced`
  case removeCall(AccountID, CallID, home: Holder)
  /// → `calls`
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

  /// A new life of the node: its incarnation is greater than any before, its former one has no lease any more. → `joined`, `full`
  case joinCluster(NodeID, peerAddress: String)
  /// For `Member.lease` from now. → `renewed`, `leaseLost` where it has ended, or another incarnation has it
  case renewLease(Holder)
  /// Ends the lease of a holder that is known to be dead. → `done`. Does nothing where another incarnation has it.
  case revokeLease(Holder)
  /// → `done`. Does nothing where another incarnation has the lease.
  case leaveCluster(Holder)
  /// → `members`
  case members

  // MARK: Who owns what

  /// Makes the holder the account's owner where the stored epoch equals `expecting` (nil: it was never owned), or where nobody owns
  /// it. The epoch grows. → `owned`, `ownedBy`, `noAccount`
  case claimOwner(AccountID, Holder, expecting: Epoch?)
  /// Nobody owns the account; its epoch stays. → `done`, `fenced`
  case releaseOwner(AccountID, Fence)
  /// Accounts that any life of the node owns (nil: that nobody owns), those behind `after` in the order of their ids.
  /// → `accounts`, `pageSize` at most
  case accountsOwned(by: NodeID?, after: AccountID?)
  /// Accounts that have a call at home at any life of the node. → `accounts`, `pageSize` at most
  case homesOf(NodeID, after: AccountID?)
  /// → `whereabouts`, `noAccount`
  case whereabouts(AccountID)
  /// Writes what an owner knows after the store came back empty or behind: where the account is missing, its epoch is older, or equal
  /// with the same holder. Calls that are there stay, unless they have the same home. → `done`, `full`, `fenced`
  case restore(Snapshot, by: Fence)

  /// How many accounts a list holds at most.
  public static let pageSize = 500
}
