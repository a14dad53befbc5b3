import Network
import PhoneKit

extension Command {
  static let phone: Command = group(
    "phone", summary: "is a phone for the command line, for any Ringhold server",
    remarks: [
      """
      A phone is its keys: '--keys FILE' names the file that holds them. They are the phone's secret, never the server's;
      whoever has the file is this phone. One file is for one account on one server.
      """
    ],
    commands: [.probe, .setUp, .state, .ring, .fetch, .answer, .decline, .status, .hangUp, .remove])

  /// A command of the phone: with its keys, towards its server.
  /// - Parameter makesKeys: whether a file of keys that is not there yet is made.
  static func phone(
    _ name: String, _ summary: String, options: [Option] = [], remarks: [String] = [], makesKeys: Bool = false,
    _ run: @escaping @LoopActor (PhoneClient, Arguments) async throws -> ExitStatus
  ) -> Command {
    let all = Option.ofEveryPhone + (makesKeys ? [.curve] : []) + options
    return Command(name: "phone \(name)", summary: summary, options: all, remarks: remarks) { arguments in
      try arguments.refuseWords()
      Secrecy.keepMemoryFromDumps()
      return try await PhoneSession(arguments, makesKeys: makesKeys).run { try await run($0, arguments) }
    }
  }
}
