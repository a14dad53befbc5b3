public import Cluster
public import Primitives
public import Store

/// What peers tell each other all the time, both ways.
public struct Greeting: Sendable, Equatable, RecordCodable {
  /// Who speaks; nil: a node without a lease.
  public var holder: Holder?
  /// Whether the store answers it.
  public var storeAnswers: Bool
  /// How many accounts it owns.
  public var accounts: Int
  /// What it has heard of the store; nil: nothing, or it does not say so.
  public var store: StoreWord?
  /// Whether it has calls of a former life, and does not know yet whose they are, or has ended some that the store may not know of.
  public var isAsking: Bool
  /// Whether some of those were other nodes' before.
  public var isHeir: Bool
  /// When it speaks, by its own clock; nil: it does not say so.
  public var sentAt: Instant?

  public var postmark: Postmark? { holder.flatMap { holder in sentAt.map { Postmark(holder, at: $0) } } }

  public init(
    holder: Holder?, storeAnswers: Bool, accounts: Int = 0, store: StoreWord? = nil, isAsking: Bool = true, isHeir: Bool = false,
    sentAt: Instant? = nil
  ) {
    self.holder = holder
    self.storeAnswers = storeAnswers
    self.accounts = accounts
    self.store = store
    self.isAsking = isAsking
    self.isHeir = isHeir
    self.sentAt = sentAt
  }

  public init(_ record: Record) throws(RecordError) {
    holder = try record.optional(1)
    storeAnswers = try record.number(2) != 0
    accounts = Int(clamping: try record.optionalNumber(3) ?? 0)
    store = try Self.storeWord(in: record)
    // The version before does not say.
    isAsking = try record.optionalNumber(5) != 0
    isHeir = try record.optionalNumber(7) == 1
    sentAt = try record.optionalInstant(8)
  }

  public func write(to writer: inout RecordWriter) {
    writer.write(1, holder)
    writer.write(2, storeAnswers ? 1 : 0)
    writer.write(3, accounts > 0 ? UInt64(accounts) : nil)
    writer.write(4, number: store?.unbrokenFor.wholeMilliseconds)
    writer.write(5, number: isAsking ? nil : 0)
    writer.write(6, number: store?.answeredAgo.wholeMilliseconds)
    writer.write(7, number: isHeir ? 1 : nil)
    writer.write(8, sentAt)
  }

  private static func storeWord(in record: Record) throws(RecordError) -> StoreWord? {
    guard let unbroken = try record.optionalNumber(4, in: 0...longest), let ago = try record.optionalNumber(6, in: 0...longest) else {
      return nil
    }
    return StoreWord(unbrokenFor: .milliseconds(unbroken), answeredAgo: .milliseconds(ago))
  }

  private static let longest: Int64 = .max / 1_000_000
}

/// How it went when a peer renewed a lease for us.
public enum RenewalOutcome: UInt8, Sendable {
  case renewed = 1
  case leaseLost = 2
  /// The store does not answer the peer either.
  case storeFailed = 3
}

public struct RenewalAnswer: RecordCodable {
  public let outcome: RenewalOutcome

  public init(_ outcome: RenewalOutcome) { self.outcome = outcome }

  public init(_ record: Record) throws(RecordError) { outcome = try record.choice(1) }

  public func write(to writer: inout RecordWriter) { writer.write(1, UInt64(outcome.rawValue)) }
}

/// Accounts that have no owner from now on.
public struct HandedAccounts: RecordCodable {
  public let accounts: [AccountID]

  /// In one request: a record holds at most 4096 fields.
  public static let most = 2000

  public init(_ accounts: [AccountID]) { self.accounts = accounts }

  public init(_ record: Record) throws(RecordError) {
    accounts = try record.list(1).map { bytes throws(RecordError) in try AccountID(recorded: bytes, field: 1) }
  }

  public func write(to writer: inout RecordWriter) {
    for account in accounts { writer.write(1, account.bytes) }
  }
}

extension AccountID {
  public init(recorded bytes: Slice, field: Int) throws(RecordError) {
    guard let id = AccountID(bytes: Array(bytes)) else { throw .unknownValue(field: field) }
    self = id
  }
}
