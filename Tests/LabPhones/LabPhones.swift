import Cryptography
import Endpoints
import Glibc
import HTTP
import Network
import PhoneKit
import Primitives

/// The phones of the cluster lab, the push service that reaches them, and those who call them. Runs until SIGTERM.
///
/// Over `control` the lab asks: `GET /counts`; `POST /setup?COUNT` sees that COUNT phones are set up, each fourth account with two, and
/// answers when it is done; `POST /offer?RATE` lets so many calls come each second from now on; `POST /stories` writes what happened in
/// each call into `calls.jsonl`.
@main
@LoopActor
final class LabPhones {
  private let settings: Settings
  private let tally = Tally()
  private let ledger = Ledger()
  private let tls: TLSContext
  private let origin: HTTPOrigin
  /// Several, as if the phones were in several networks: each keeps the order of addresses that it was told for a while.
  private let resolvers: [Resolver]
  private var phones: [Int: LabPhone] = [:]
  /// Those that are to be set up.
  private var missing: [Int] = []
  private var push: PushService?
  private var control: HTTPServer?
  private var traffic: Traffic?

  enum Failure: Error { case usage, server }

  private static let mostPhones = 20_000
  private static let setUpsAtOnce = 16
  private static let networks = 12

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
    await withCheckedContinuation { continuation in
      try? Loop.onSignal(SIGTERM) {
        withExtendedLifetime(lab) { continuation.resume() }
      }
    }
    exit(0)
  }

  init(_ settings: Settings) throws {
    self.settings = settings
    tls = try TLSContext.client(trust: .pem(Files.read(settings.ca)), alpn: ["h2", "http/1.1"])
    guard let origin = HTTPOrigin(settings.server) else { throw Failure.server }
    self.origin = origin
    let servers = try settings.dns.map(Settings.address)
    resolvers = servers.isEmpty ? [] : try (0..<Self.networks).map { _ in try Resolver(servers: servers) }
    let line = try CallerLine(local: Settings.address(settings.caller), provider: Settings.address(settings.provider))
    traffic = Traffic(line, ledger: ledger, tally: tally, domain: settings.domain)
    push = try PushService(listen: Settings.address(settings.push), folder: settings.folder) { [weak self] in self?.deliver($0, $1) }
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
    case ("POST", "/offer", let rate?):
      traffic?.offer(rate, accounts: phones.keys.count { $0 < LabPhone.twins })
      answer(exchange)
    case ("POST", "/stories", _):
      try? ledger.write(to: "\(settings.folder)/calls.jsonl")
      answer(exchange)
    default: exchange.respond(HTTPResponse(status: 404))
    }
  }

  private func answer(_ exchange: HTTPExchange) {
    tally.set("open", to: ledger.openCount)
    exchange.respond(HTTPResponse(status: 200, fields: ["content-type": "application/json"], body: tally.json))
  }

  // MARK: Set-ups

  private func setUp(_ count: Int) async {
    missing = (0..<count).flatMap { $0 % 4 == 3 ? [$0, $0 + LabPhone.twins] : [$0] }.reversed()
    let workers = (0..<Self.setUpsAtOnce).map { _ in
      Task { @LoopActor in
        while let number = self.missing.popLast() { await self.setUp(phone: number) }
      }
    }
    for worker in workers { await worker.value }
  }

  /// One that the server does not know any more sets itself up again, as an app does.
  private func setUp(phone number: Int) async {
    if let phone = phones[number] {
      if await !phone.isSetUp(), await phone.setUp() { tally.count("set_up_again") }
      return
    }
    guard let phone = try? LabPhone(number, settings, client: client(number), tally: tally, ledger: ledger) else { return }
    if await phone.setUp() {
      phones[number] = phone
      tally.count(number < LabPhone.twins ? "phones" : "twins")
    } else {
      phone.close()
    }
  }

  /// By name, as a phone does, or always to the same node.
  private func client(_ number: Int) -> HTTPClient {
    let nodes = settings.nodes.compactMap { SocketAddress($0) }
    let resolver = resolvers.isEmpty ? nil : resolvers[number % resolvers.count]
    let address = resolver == nil && !nodes.isEmpty ? nodes[number % nodes.count] : nil
    var limits = HTTPClientLimits()
    limits.connectTime = .seconds(2)
    limits.pingAfter = .seconds(5)
    limits.pongWithin = .seconds(3)
    return HTTPClient(origin: origin, tls: tls, resolver: resolver, address: address, limits: limits)
  }

  // MARK: Pushes

  private func deliver(_ token: String, _ sealed: Bytes?) {
    guard let sealed, let phone = LabPhone.number(of: token).flatMap({ phones[$0] }) else { return tally.count("pushes_to_nobody") }
    phone.pushed(sealed)
  }
}
