public import Primitives

/// Everything that is asked of a store. Each command is one step that no other one comes between.
public enum StoreCommand: Sendable, Discreet {
  /// → `account`
  case account(AccountID)
  /// → `accountOf`
  case accountOf(DeviceID)
  /// Writes the account where its version is still `expecting` (nil: it does not exist), and who owns which device key.
  /// → `written`, `conflict`, `keyInUse`, `full`
  case writeAccount(Account, expecting: Version?)
  /// Removes the account and all that hangs on it. → `done`, `conflict`
  case removeAccount(AccountID, expecting: Version)

  /// A nonce of a device's signature, remembered until then. → `fresh`, `replayed`, `full`
  case useNonce(DeviceID, nonce: Bytes, until: Instant)

  /// The one place for a held call. `merge` tells the copies of a forked INVITE (hash of Call-ID, From tag and CSeq, RFC 3261
  /// §8.2.2.2); asked again for the same call, it is extended. → `granted`, `busy`, `merged`, `noAccount`
  case claimHeld(AccountID, CallID, merge: Bytes, until: Instant)
  /// → `done`. Does nothing where another call is held.
  case releaseHeld(AccountID, CallID)

  /// Line 1 or 2 of a device, for a call. → `granted` (also where it has it), `busy` (also where there is no such device),
  /// `noAccount`
  case claimLine(AccountID, DeviceID, line: Int, CallID)
  /// → `done`. Does nothing where another call has the line.
  case releaseLine(AccountID, DeviceID, line: Int, CallID)

  /// A call as its home knows it. → `done`, `full`, `noAccount`
  case saveCall(AccountID, CallID, Bytes)
  /// → `done`
  case removeCall(AccountID, CallID)
  /// → `calls`
  case calls(AccountID)

  /// The registration as its owner knows it. → `done`, `full`, `noAccount`
  case saveRegistration(AccountID, Bytes)
  /// → `record`
  case registration(AccountID)

  /// The answer that was given under an idempotency key. → `record`
  case recall(DeviceID, key: String)
  /// → `done`, `full`: then it is not remembered. The first answer stays.
  case remember(DeviceID, key: String, reply: Bytes, until: Instant)
}

/// What a store answers.
public enum StoreReply: Sendable, Equatable, Discreet {
  case account(Stored?)
  case accountOf(AccountID?)
  case written(Version)
  /// Somebody wrote in between: read again.
  case conflict
  /// This device belongs to another account.
  case keyInUse(DeviceID)
  case noAccount
  case done
  /// A limit of the store is reached; nothing was done.
  case full

  case fresh
  case replayed

  case granted
  case busy
  case merged

  case calls([SavedCall])
  case record(Bytes?)

  /// An account and the version that a write has to expect.
  public struct Stored: Sendable, Equatable, Discreet {
    public let account: Account
    public let version: Version

    public init(account: Account, version: Version) {
      self.account = account
      self.version = version
    }
  }

  public struct SavedCall: Sendable, Equatable, Discreet {
    public let id: CallID
    public let record: Bytes

    public init(id: CallID, record: Bytes) {
      self.id = id
      self.record = record
    }

    public var shown: String { id.description }
  }
}
