import FoundationEssentials
import Node

extension Option {
  static let config = Option(
    name: "--config", value: "FILE", summary: "the configuration, YAML or JSON; without it the embedded default on 127.0.0.1")
}

extension Arguments {
  /// The configuration that `--config` and the environment give. Where it is wrong, says why.
  func configuration() -> Configuration? {
    do {
      return try Configuration.load(file: self[.config], environment: ProcessInfo.processInfo.environment)
    } catch {
      Terminal.complain(error.description)
      return nil
    }
  }
}
