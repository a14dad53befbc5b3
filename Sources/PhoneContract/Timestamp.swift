public import Primitives

/// A moment to the second as RFC 3339 writes it in UTC: `2026-11-30T12:00:00Z`.
public struct Timestamp: Hashable, Sendable, Codable {
  /// Since the Unix epoch.
  public let seconds: Int64

  public init(_ instant: Instant) { seconds = instant.seconds }

  /// nil for any other form than the one that is written.
  public init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count == 20, zip([4, 7, 10, 13, 16, 19], "--T::Z".utf8).allSatisfy({ bytes[$0] == $1 }) else { return nil }
    func field(_ at: Range<Int>, in range: ClosedRange<Int64>) -> Int64? {
      bytes[at].decimal(as: Int64.self).flatMap { range.contains($0) ? $0 : nil }
    }
    guard let year = field(0..<4, in: 0...9999), let month = field(5..<7, in: 1...12), let day = field(8..<10, in: 1...31),
      let hour = field(11..<13, in: 0...23), let minute = field(14..<16, in: 0...59), let second = field(17..<19, in: 0...60)
    else { return nil }
    seconds = Self.days(year: year, month: month, day: day) * 86_400 + hour * 3600 + minute * 60 + second
  }

  public var text: String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400)
    let date = Self.date(days: days)
    return "\(Self.padded(date.year, 4))-\(Self.padded(date.month))-\(Self.padded(date.day))"
      + "T\(Self.padded(rest / 3600)):\(Self.padded(rest / 60 % 60)):\(Self.padded(rest % 60))Z"
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let timestamp = Timestamp(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "no RFC 3339 time")
    }
    self = timestamp
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }

  private static func padded(_ number: Int64, _ width: Int = 2) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  /// Days since 1970-01-01 in the proleptic Gregorian calendar. Years begin in March here, so that the leap day is their last.
  private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
    let (year, month) = month > 2 ? (year, month - 3) : (year - 1, month + 9)
    return year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day - 1 - daysBeforeEpoch
  }

  private static func date(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let days = days + daysBeforeEpoch
    let (era, dayOfEra) = (days / 146_097, days % 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100)
    let month = (dayOfYear * 5 + 2) / 153
    let day = dayOfYear - (month * 153 + 2) / 5 + 1
    return (era * 400 + yearOfEra + (month < 10 ? 0 : 1), month < 10 ? month + 3 : month - 9, day)
  }

  /// From 0000-03-01 to 1970-01-01.
  private static let daysBeforeEpoch: Int64 = 719_468
}
