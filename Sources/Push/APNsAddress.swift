public import Primitives

/// One installation of an app, as Apple's push service knows it.
public struct APNsAddress: Hashable, Sendable, Discreet {
  /// Hexadecimal digits.
  public let token: String
  public let topic: String
  public let environment: Environment

  public enum Environment: Hashable, Sendable { case production, development }

  public init(token: String, topic: String, environment: Environment) {
    self.token = token
    self.topic = topic
    self.environment = environment
  }
}
