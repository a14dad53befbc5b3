import Glibc

/// Where a person reads. Answers go to standard output, complaints to standard error.
enum Terminal {
  static func say(_ text: String) { print(text) }

  static func complain(_ text: String) {
    let line = Array("ringhold: \(text)\n".utf8)
    // A complaint that nobody can read any more is lost: there is nowhere else to complain.
    _ = unsafe line.withUnsafeBufferPointer { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
