public import Primitives

/// RFC 9651 (and 8941): the values of structured fields.
public enum StructuredField {
  public enum BareItem: Sendable, Equatable {
    case integer(Int64)
    /// In thousandths: a decimal has at most three digits after its point (§3.3.2).
    case decimal(thousandths: Int64)
    case string(String)
    case token(String)
    case bytes(Bytes)
    case boolean(Bool)
    /// Unix seconds (§3.3.7).
    case date(Int64)
    case displayString(String)
  }

  /// Named values in their order; a name given twice keeps its place and takes the last value.
  public struct Members<Value: Sendable & Equatable>: Sendable, Equatable {
    public private(set) var all: [(key: String, value: Value)] = []

    public init() {}

    public subscript(_ key: String) -> Value? { all.first { $0.key == key }?.value }

    public mutating func set(_ key: String, to value: Value) {
      if let index = all.firstIndex(where: { $0.key == key }) { all[index].value = value } else { all.append((key, value)) }
    }

    public static func == (left: Self, right: Self) -> Bool {
      left.all.count == right.all.count && zip(left.all, right.all).allSatisfy { $0.key == $1.key && $0.value == $1.value }
    }
  }

  public typealias Parameters = Members<BareItem>
  public typealias Dictionary = Members<Member>

  public struct Item: Sendable, Equatable {
    public var value: BareItem
    public var parameters: Parameters

    public init(_ value: BareItem, parameters: Parameters = Parameters()) {
      self.value = value
      self.parameters = parameters
    }
  }

  public struct InnerList: Sendable, Equatable {
    public var items: [Item]
    public var parameters: Parameters

    public init(_ items: [Item], parameters: Parameters = Parameters()) {
      self.items = items
      self.parameters = parameters
    }
  }

  /// What a list or a dictionary holds.
  public enum Member: Sendable, Equatable {
    case item(Item)
    case innerList(InnerList)
  }

  /// Where the text is not what it should be; RFC 9651 §4.2 wants the whole field ignored then.
  public struct Malformed: Error, Equatable, Sendable {}
}
