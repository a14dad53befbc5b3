public import Primitives

/// RFC 3339 text of a moment, in UTC with milliseconds: `2026-11-30T12:00:00.123Z`.
public struct UTCTime: Sendable {
  private let bytes: Bytes

  public var text: String { bytes.text }

  public init(_ instant: Instant) {
    let (day, millisecondOfDay) = Self.floorDivide(Self.floorDivide(instant.nanoseconds, 1_000_000).quotient, 86_400_000)
    let date = Self.civil(day: day)
    let second = millisecondOfDay / 1000
    var out = Bytes()
    out.reserveCapacity(24)
    for (number, width, mark) in [
      (date.year, 4, "-"), (date.month, 2, "-"), (date.day, 2, "T"), (second / 3600, 2, ":"), (second / 60 % 60, 2, ":"),
      (second % 60, 2, "."), (millisecondOfDay % 1000, 3, "Z"),
    ] as [(Int64, Int, Unicode.Scalar)] {
      Self.append(number, width, to: &out)
      out.append(UInt8(ascii: mark))
    }
    bytes = out
  }

  /// Appends the time to a line.
  func write(to line: inout Bytes) { line += bytes }

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

  private static func append(_ number: Int64, _ width: Int, to out: inout Bytes) {
    let digits = String(number).utf8
    out.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: max(width - digits.count, 0)))
    out.append(contentsOf: digits)
  }
}
