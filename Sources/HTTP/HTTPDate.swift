import Primitives

/// RFC 9110 §5.6.7: `Sun, 06 Nov 1994 08:49:37 GMT`, the only form that is written, and the only one that is read here.
public enum HTTPDate {
  /// `seconds` since the Unix epoch, in the years 1970 to 9999.
  public static func text(_ seconds: Int64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400)
    let (year, month, day) = civil(days)
    let time = [rest / 3600, rest / 60 % 60, rest % 60].map { padded($0, 2) }.joined(separator: ":")
    return "\(weekdays[Int((days + 4) % 7)]), \(padded(day, 2)) \(months[Int(month - 1)]) \(padded(year, 4)) \(time) GMT"
  }

  /// nil where the text is not what `text` writes.
  public static func seconds(_ text: String) -> Int64? {
    let bytes = Array(text.utf8)
    guard bytes.count == 29, let month = months.firstIndex(of: bytes[8..<11].text) else { return nil }
    func number(_ range: Range<Int>) -> Int64? { bytes[range].decimal(as: Int64.self) }
    guard let day = number(5..<7), let year = number(12..<16), let hour = number(17..<19), let minute = number(20..<22),
      let second = number(23..<25), year >= 1970, hour < 24, minute < 60, second < 60
    else { return nil }
    let seconds = (days(year, Int64(month + 1), day) * 24 + hour) * 3600 + minute * 60 + second
    return Self.text(seconds) == text ? seconds : nil
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  /// Years begin in March, so that a leap day is the last of its year; 400 years have 146,097 days.
  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let year = month <= 2 ? year - 1 : year
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
  }

  private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let (era, dayOfEra) = (shifted / 146_097, shifted % 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }

  private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
}
