extension Checks {
  /// What a node of a cluster would not start with, and whether its Redis lets it in.
  func cluster() async -> [Finding] {
    do throws(StartError) {
      guard try ClusterSettings(configuration) != nil else { return [] }
    } catch {
      return [.error("cluster", error.description)]
    }
    let identity = identity("node.certificate", configuration.node.identity, naming: configuration.node.name)
    guard let trouble = await tools.redisTrouble(configuration) else { return identity + [.ok("redis", "it lets this node in")] }
    return identity + [trouble.isFinal ? .error("redis", trouble.text) : .warning("redis", trouble.text)]
  }
}
