/// Where values come from: one file, or none, and the environment, which wins.
final class ConfigurationSource {
  /// As errors name it.
  let file: String
  /// The file's folder, with a final slash; relative paths in the file start there.
  let folder: String
  private let variables: [String: String]
  private var asked: Set<String> = []

  init(file: String, folder: String, environment: [String: String]) {
    self.file = file
    self.folder = folder
    variables = environment.filter { $0.key.hasPrefix("RINGHOLD_") && !Self.isOfKubernetes($0.key) }
  }

  /// Kubernetes puts these into every container beside a service that is called ringhold.
  private static func isOfKubernetes(_ name: String) -> Bool {
    name.hasPrefix("RINGHOLD_SERVICE_") || name == "RINGHOLD_PORT" || name.hasPrefix("RINGHOLD_PORT_")
  }

  /// `["https", "listen"]` is `RINGHOLD_HTTPS_LISTEN`.
  static func variable(for path: [String]) -> String {
    (["RINGHOLD"] + path).joined(separator: "_").uppercased()
  }

  func value(of variable: String) -> String? {
    asked.insert(variable)
    return variables[variable]
  }

  func hasVariable(below path: [String]) -> Bool {
    let prefix = Self.variable(for: path) + "_"
    return variables.keys.contains { $0.hasPrefix(prefix) }
  }

  /// To call when all was read: a variable that nobody asked for is a slip.
  func refuseUnknownVariables() throws(ConfigurationError) {
    guard let unknown = variables.keys.filter({ !asked.contains($0) }).min() else { return }
    let question = Suggestion.question(for: unknown, among: asked.sorted())
    throw ConfigurationError(at: ConfigurationPlace(variable: unknown), "no key of the configuration has this variable\(question)")
  }
}
