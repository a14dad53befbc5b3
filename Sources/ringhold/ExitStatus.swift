/// What a command tells its caller; the numbers from 64 on are those of sysexits(3).
enum ExitStatus: Int32 {
  case success = 0
  case failed = 1
  /// The command line is wrong.
  case usage = 64
  /// The configuration is wrong.
  case configuration = 78
}
