import Cryptography
import Demo
import Endpoints
import Glibc
import HTTP
import Network
import PhoneKit
import Primitives

/// The phones of the cluster lab, and the push service that reaches them. Runs until SIGTERM.
///
/// Over `control` the lab asks: `GET /counts`; `POST /setup?COUNT` sets phones up until there are COUNT, and answers when it is done.
@main
@LoopActor
final class LabPhones {
  private let settings: Settings
  private let push: PushStandIn
  private let tally = Tally()
  private let tls: TLSContext
  private let origin: HTTPOrigin
  private let resolver: Resolver?
  private var phones: [Int: LabPhone] = [:]
  /// Those that are to be set up.
  private var missing: ArraySlice<Int> = []
  private var control: HTTPServer?

  enum Failure: Error { case usage, server }

  private static let mostPhones = 20_000
  private static let setUpsAtOnce = 16

  nonisolated static func main() async {
    do {
      guard CommandLine.arguments.count == 2 else { throw Failure.usage }
      try await run(Settings(file: CommandLine.arguments[1]))
    } catch {
      print("labphones: \(error)")
      exit(1)
    }
  }

  private static func run(_ settings: sending Settings) async throws {
    let lab = try LabPhones(settings)
    print("ready")
    fflush(nil)
    Task { @LoopActor in await lab.deliver() }
    await withCheckedContinuation { continuation in
      try? Loop.onSignal(SIGTERM) { continuation.resume() }
    }
    exit(0)
  }

  init(_ settings: Settings) throws {
    self.settings = settings
    push = try PushStandIn(listen: Settings.address(settings.push))
    try Files.write(push.keyPEM, "\(settings.folder)/push.p8")
    try Files.write(push.authority.certificatePEM, "\(settings.folder)/push-ca.pem")
    tls = try TLSContext.client(trust: .pem(Files.read(settings.ca)), alpn: ["h2", "http/1.1"])
    guard let origin = HTTPOrigin(settings.server) else { throw Failure.server }
    self.origin = origin
    resolver = settings.dns.isEmpty ? nil : try Resolver(servers: settings.dns.map(Settings.address))
    control = try HTTPServer(listen: Settings.address(settings.control), tls: nil) { [weak self] request, exchange in
      self?.asked(request, exchange)
    }
  }

  // MARK: The lab asks

  private func asked(_ request: HTTPRequest, _ exchange: HTTPExchange) {
    switch (request.method, request.pathOnly, request.query.flatMap(Int.init)) {
    case ("GET", "/counts", _): answer(exchange)
    case ("POST", "/setup", let count?) where count <= Self.mostPhones:
      Task { @LoopActor in
        await self.setUp(count)
        self.answer(exchange)
      }
    default: exchange.respond(HTTPResponse(status: 404))
    }
  }

  private func answer(_ exchange: HTTPExchange) {
    exchange.respond(HTTPResponse(status: 200, fields: ["content-type": "application/json"], body: tally.json))
  }

  // MARK: Set-ups

  private func setUp(_ count: Int) async {
    missing = (0..<count).filter { phones[$0] == nil }[...]
    let workers = (0..<Self.setUpsAtOnce).map { _ in
      Task { @LoopActor in
        while let number = self.missing.popFirst() { await self.setUp(phone: number) }
      }
    }
    for worker in workers { await worker.value }
  }

  private func setUp(phone number: Int) async {
    guard let phone = try? LabPhone(number, settings, client: client(number), tally: tally) else { return }
    if await phone.setUp() {
      phones[number] = phone
      tally.count("phones")
    } else {
      phone.close()
    }
  }

  /// By name, as a phone does, or always to the same node.
  private func client(_ number: Int) -> HTTPClient {
    let nodes = settings.nodes.compactMap { SocketAddress($0) }
    let address = resolver == nil && !nodes.isEmpty ? nodes[number % nodes.count] : nil
    var limits = HTTPClientLimits()
    limits.connectTime = .seconds(2)
    limits.pingAfter = .seconds(5)
    limits.pongWithin = .seconds(3)
    return HTTPClient(origin: origin, tls: tls, resolver: resolver, address: address, limits: limits)
  }

  // MARK: Pushes

  /// Takes what the push service has accepted to the phones, in its order.
  private func deliver() async {
    var next = push.recordCount
    while true {
      guard let record = try? await push.first("a push", from: next, within: .seconds(3600), where: { _ in true }) else { continue }
      next += 1
      guard record.status == 200, let sealed = record.sealed, let number = LabPhone.number(of: record.token) else {
        tally.count("pushes_refused")
        continue
      }
      phones[number]?.pushed(sealed)
    }
  }
}
