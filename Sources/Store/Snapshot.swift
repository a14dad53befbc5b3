public import Primitives

/// Everything that an owner needs to go on with an account.
public struct Snapshot: Sendable, Equatable, Discreet {
  public var account: Account
  public var version: Version
  public var registration: Bytes?
  /// By their ids.
  public var calls: [SavedCall]

  public init(account: Account, version: Version, registration: Bytes? = nil, calls: [SavedCall] = []) {
    self.account = account
    self.version = version
    self.registration = registration
    self.calls = calls
  }

  public var shown: String { account.shown }
}

/// A call as its home saved it.
public struct SavedCall: Sendable, Equatable, Discreet {
  public let id: CallID
  public let home: Holder
  public let record: Bytes

  public init(id: CallID, home: Holder, record: Bytes) {
    self.id = id
    self.home = home
    self.record = record
  }

  public var shown: String { id.description }
}

/// Where a request for an account has to go.
public struct Whereabouts: Sendable, Equatable {
  public var owner: Fence?
  /// By their ids.
  public var calls: [Call]

  public init(owner: Fence?, calls: [Call]) {
    self.owner = owner
    self.calls = calls
  }

  public struct Call: Sendable, Equatable {
    public let id: CallID
    public let home: Holder
    /// It has the account's held slot.
    public let isHeld: Bool
    /// The lines that it has, by device and line.
    public let lines: [Line]

    public init(id: CallID, home: Holder, isHeld: Bool, lines: [Line]) {
      self.id = id
      self.home = home
      self.isHeld = isHeld
      self.lines = lines
    }
  }

  public struct Line: Hashable, Sendable, Comparable {
    public let device: DeviceID
    public let number: Int

    public init(device: DeviceID, number: Int) {
      self.device = device
      self.number = number
    }

    public static func < (left: Line, right: Line) -> Bool { (left.device, left.number) < (right.device, right.number) }
  }
}
