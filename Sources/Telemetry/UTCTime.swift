public import Primitives

/// RFC 3339 text of a moment, in UTC with milliseconds: `2026-11-30T12:00:00.123Z`.
public struct UTCTime: Sendable {
  public let text: String

  public init(_ instant: Instant) {
    let (day, millisecondOfDay) = Self.floorDivide(Self.floorDivide(instant.nanoseconds, 1_000_000).quotient, 86_400_000)
    let date = Self.civil(day: day)
    let second = millisecondOfDay / 1000
    let clock = [second / 3600, second / 60 % 60, second % 60].map { Self.padded($0, 2) }.joined(separator: ":")
    let calendar = [Self.padded(date.year, 4), Self.padded(date.month, 2), Self.padded(date.day, 2)].joined(separator: "-")
    text = "\(calendar)T\(clock).\(Self.padded(millisecondOfDay % 1000, 3))Z"
  }

  /// Day 0 is 1970-01-01. Years start in March here, so that the leap day is the last one; an era is 400 of them.
  private static func civil(day: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = floorDivide(day + 719_468, 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
  }

  private static func floorDivide(_ number: Int64, _ divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(width - digits.utf8.count, 0)) + digits
  }
}
