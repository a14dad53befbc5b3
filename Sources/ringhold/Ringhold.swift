import Glibc

/// The one executable. Each command is a file beside this one.
@main struct Ringhold {
  static func main() async {
    let words = Array(CommandLine.arguments.dropFirst())
    exit(await run(words).rawValue)
  }

  private static func run(_ words: [String]) async -> ExitStatus {
    do {
      let (command, arguments) = try Command.parse(words)
      return try await command.run(arguments)
    } catch let error as UsageError {
      Terminal.complain(error.text)
      return .usage
    } catch let error as InputError {
      Terminal.complain(error.text)
      return .input
    } catch {
      Terminal.complain("\(error)")
      return .failed
    }
  }
}
