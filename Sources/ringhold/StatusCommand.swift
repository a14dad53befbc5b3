import Node

extension Option {
  fileprivate static let admin = Option(
    name: "--admin", value: "URL", summary: "the node's admin address; without it http://127.0.0.1:9090")
}

extension Command {
  static let nodeStatus = Command(
    name: "status", summary: "says how a running node is: accounts, calls, rates, and its cluster", options: [.admin]
  ) { arguments in
    try arguments.refuseWords()
    let admin = arguments[.admin] ?? "http://127.0.0.1:9090"
    do throws(StatusQuery.Failure) {
      Terminal.say(try await StatusQuery.report(of: admin).text)
      return .success
    } catch .address {
      throw UsageError(StatusQuery.Failure.address.description)
    } catch {
      Terminal.complain("\(admin): \(error)")
      return .failed
    }
  }
}
