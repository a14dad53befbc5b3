import Glibc

/// Where a person reads. Answers go to standard output, complaints to standard error.
enum Terminal {
  /// At once, also where a program reads it line by line.
  static func say(_ text: String) {
    print(text)
    fflush(nil)
  }

  static func complain(_ text: String) { put("ringhold: \(text)\n") }

  /// What a person is to answer goes where complaints go, so that it shows where the answers of the command go into a file.
  static func ask(_ text: String) { put(text) }

  private static func put(_ text: String) {
    let line = Array(text.utf8)
    // A complaint that nobody can read any more is lost: there is nowhere else to complain.
    _ = unsafe line.withUnsafeBufferPointer { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
