public import Primitives

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
  /// Whoever asks does not own the account, or is not the call's home, any more; nothing was done.
  case fenced
  /// The store gave no answer. The command was done, will be done, or was not: nobody knows.
  case unavailable

  /// A nonce that was not there, or an account.
  case fresh
  case replayed

  case granted
  case busy
  case merged
  case retransmission

  case calls([SavedCall])
  case record(Bytes?)
  /// The record of an adopted call; empty where its home had claimed the held slot and saved nothing.
  case adopted(Bytes)

  case joined(Holder)
  case joinRefused(JoinRefusal)
  case renewed
  case leaseLost
  case buried
  case leaseLives
  case members([Member])

  case owned(Epoch, Snapshot)
  case ownedBy(Fence)
  /// In the order in which they were asked for.
  case claims([StoreReply])
  /// `next`: there are more, behind this one.
  case accounts([ListedAccount], next: AccountID?)
  case strays(Strays)
  case whereabouts(Whereabouts)

  /// An account and the version that a write has to expect.
  public struct Stored: Sendable, Equatable, Discreet {
    public let account: Account
    public let version: Version

    public init(account: Account, version: Version) {
      self.account = account
      self.version = version
    }
  }

  /// An account in a list, and the epoch that a claim has to expect.
  public struct ListedAccount: Sendable, Equatable {
    public let id: AccountID
    public let epoch: Epoch?

    public init(id: AccountID, epoch: Epoch?) {
      self.id = id
      self.epoch = epoch
    }
  }
}
