public import Primitives
public import SIP
public import Store

extension Switchboard {
  public struct Settings: Sendable {
    /// The one name that phones are told and keep.
    public var serverName: String
    /// 1 or 2, per account.
    public var answeredCalls: Int
    public var slots: SetUpPolicy
    /// A call that rings longer is refused with 480.
    public var protection: Duration
    /// Host and port that providers reach us at, by transport; a transport that is missing is not used.
    public var contacts: [Transport: SocketAddress]

    public init(
      serverName: String, answeredCalls: Int, slots: SetUpPolicy, protection: Duration, contacts: [Transport: SocketAddress]
    ) {
      self.serverName = serverName
      self.answeredCalls = answeredCalls
      self.slots = slots
      self.protection = protection
      self.contacts = contacts
    }
  }
}
