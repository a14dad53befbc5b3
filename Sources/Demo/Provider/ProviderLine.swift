import Endpoints
import Network
import Primitives
import SIP

/// The way to one registered phone: the flow that its REGISTER came over while that is open (what lies behind NAT is reached by nothing
/// else), then the address of its Contact.
@LoopActor
final class ProviderLine {
  let endpoint: SIPEndpoint
  private var flow: Flow
  private let target: Target?

  init(_ endpoint: SIPEndpoint, to binding: ProviderBinding) {
    self.endpoint = endpoint
    flow = binding.flow
    target = Self.target(of: binding)
    if !binding.isReachable { flowEnded(flow) }
  }

  private static func target(of binding: ProviderBinding) -> Target? {
    guard let host = try? URI(binding.contact[...]).hostPort, let ip = host.address else { return nil }
    let transport = binding.flow.transport
    return Target(transport: transport, address: SocketAddress(ip: ip, port: host.port ?? transport.defaultPort))
  }

  /// Our Contact for what goes over this line.
  var contact: Bytes {
    var contact = Bytes("<sip:provider@".utf8) + endpoint.sentBy(flow)
    if flow.transport != .udp {
      contact.append(";transport=")
      contact.append(text: flow.transport == .tcp ? "tcp" : "tls")
    }
    contact.append(">")
    return contact
  }

  /// Without Via.
  @discardableResult
  func send(_ request: Request) -> ClientTransactionID { endpoint.send(request, over: flow) }

  func cancel(_ invite: ClientTransactionID) { _ = endpoint.cancel(invite) }

  func flowEnded(_ ended: Flow) {
    guard ended == flow, let target else { return }
    flow = endpoint.flow(to: SIPHop(target))
  }
}
