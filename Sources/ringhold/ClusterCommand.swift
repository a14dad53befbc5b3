import Node

extension Option {
  fileprivate static let nodes = Option(name: "--nodes", value: "a,b,c", summary: "the names of the nodes")
  fileprivate static let out = Option(name: "--out", value: "DIR", summary: "a new folder; one that has anything in it is left alone")
  fileprivate static let hosts = Option(
    name: "--hosts", value: "a=ADDRESS,…", summary: "where the nodes reach each other, for the lines that are shown")
}

extension Command {
  static let cluster = Command(
    name: "cluster", summary: "'cluster init' makes the authority, certificates and secrets of a new cluster",
    options: [.nodes, .out, .hosts]
  ) { arguments in
    guard let word = arguments.rest.first else { throw UsageError("'cluster' needs to be told what: init") }
    guard word == "init" else { throw UsageError("'cluster' cannot '\(word)'\(Suggestion.question(for: word, among: ["init"]))") }
    try arguments.refuseWords(beyond: 1)
    return try beginCluster(arguments)
  }

  private static func beginCluster(_ arguments: Arguments) throws -> ExitStatus {
    guard let nodes = arguments[.nodes] else { throw UsageError("'cluster init' needs --nodes") }
    guard let folder = arguments[.out] else { throw UsageError("'cluster init' needs --out") }
    Secrecy.keepMemoryFromDumps()
    do throws(ClusterPlan.Mistake) {
      let plan = try ClusterPlan(nodes: nodes, hosts: arguments[.hosts] ?? "")
      return begin(plan, in: folder)
    } catch {
      throw UsageError(error.text)
    }
  }

  private static func begin(_ plan: ClusterPlan, in folder: String) -> ExitStatus {
    do throws(ClusterFiles.Failure) {
      try ClusterFiles(plan).write(into: folder)
    } catch {
      Terminal.complain(error.description)
      return .failed
    }
    for node in plan.nodes {
      Terminal.say("# node \(node.name): copy \(folder)/\(node.name)/ beside its configuration, and give it redis.env as environment")
      Terminal.say(ClusterFiles.configuration(of: node) + "\n")
    }
    Terminal.say("# Redis takes the password in \(folder)/redis-password")
    Terminal.say("# keep \(folder)/cluster-ca.key off the nodes: who has it can join the cluster")
    return .success
  }
}
