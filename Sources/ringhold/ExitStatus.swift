/// What a command tells its caller; the numbers from 64 on are those of sysexits(3).
enum ExitStatus: Int32 {
  case success = 0
  case failed = 1
  /// The command line is wrong.
  case usage = 64
  /// A file that the command needs is missing or is not what it should be.
  case input = 66
  /// A server cannot be reached.
  case unavailable = 69
  /// The configuration is wrong.
  case configuration = 78
}
