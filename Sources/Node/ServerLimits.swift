public import Endpoints

/// What those who speak with a node may cost it. The defaults are what it runs with; nobody needs to set them.
public struct ServerLimits: Sendable {
  /// Phones.
  public var http = HTTPServerLimits()
  /// Providers, and whoever else finds the SIP ports. Addresses and certificates in it come from the configuration.
  public var sip = SIPSettings()

  public init() {}
}
