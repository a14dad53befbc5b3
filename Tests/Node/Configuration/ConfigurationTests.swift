import Primitives
import Testing

@testable import Node

func read(_ text: String, _ environment: [String: String] = [:]) throws(ConfigurationError) -> Configuration {
  try Configuration.read(Array(text.utf8), file: "etc/r.yaml", environment: environment)
}

private func refusal(_ text: String, _ environment: [String: String] = [:]) -> String {
  do {
    _ = try read(text, environment)
    return "taken"
  } catch {
    return error.description
  }
}

@Test func withoutAFileTheEmbeddedDefaultStands() throws {
  let configuration = try Configuration.load(file: nil, environment: ["HOME": "/root"])
  #expect(configuration.https == .init(listen: [.loopback(8443)], identity: nil))
  #expect(configuration.admin.listen == .loopback(9090))
  #expect(configuration.sip.listen == .init(udp: .loopback(5060), tcp: .loopback(5060), tls: .loopback(5061)))
  #expect(configuration.serverName == "localhost" && configuration.state == .memory && configuration.push == .init())
  #expect(configuration.sip.protectionTimer == .seconds(180) && configuration.accounts.slots == 4)
}

/// Every key that there is, in one file.
private let complete = """
  server_name: Plus.Example.net
  state: memory
  https:  {listen: ["0.0.0.0:443", "[::]:443"], certificate: fullchain.pem, key: /k/privkey.pem}
  admin:  {listen: "127.0.0.1:9091"}
  sip:
    listen: {udp: "192.0.2.10:5060", tls: "192.0.2.10:5061"}
    advertise: 192.0.2.10
    certificate: sip.pem
    key: sip.key
    provider_ca: ca.pem
    allow_networks: ["127.0.0.0/8"]
    protection_timer_s: 60
    connection_per_account: true
  dns:    {servers: [127.0.0.53, "[::1]:5353"]}
  push:
    apns:    {key: AuthKey.p8, key_id: ABC123DEFG, team_id: 1234567890, url: "https://api.push.apple.com", ca: system}
    fcm:     {service_account: firebase.json, url: "https://fcm.googleapis.com", ca: system}
    webpush: {key: vapid.pem, subject: "mailto:ops@example.net", ca: system}
  node:   {name: b, peers_listen: "10.0.0.1:7443", certificate: node.pem, key: node.key, ca: cluster-ca.pem, cluster_key: cluster.key}
  redis:  {url: "redis://10.0.0.5:6379", sentinels: [a:1], primary: p, username: "", password: "hush", ca: "", allow_persistence: true, sentinel_password: "hushhush", sentinel_tls: true}
  handover: {socket: /run/ringhold/a.sock}
  accounts: {answered_calls: 1, slots: 2, when_full: refuse, receipt_s: 3}
  entitlement: {required: false, keys: jwks.json}
  trunks: []
  log:    {level: debug, format: json}
  """

@Test func everyKeyIsTyped() throws {
  let configuration = try read(complete)
  #expect(configuration.serverName == "plus.example.net")
  #expect(configuration.https.listen.map(\.text) == ["0.0.0.0:443", "[::]:443"])
  #expect(configuration.https.identity?.certificate.path == "etc/fullchain.pem")
  #expect(configuration.https.identity?.key.path == "/k/privkey.pem")
  #expect(configuration.sip.listen == .init(udp: SocketAddress("192.0.2.10:5060"), tcp: nil, tls: SocketAddress("192.0.2.10:5061")))
  #expect(configuration.sip.advertise?.text == "192.0.2.10" && configuration.sip.allowNetworks.count == 1)
  #expect(configuration.sip.protectionTimer == .seconds(60) && configuration.sip.connectionPerAccount)
  #expect(configuration.nameServers.map(\.text) == ["127.0.0.53:53", "[::1]:5353"])
  #expect(configuration.push.apns?.teamID == "1234567890" && configuration.push.apns?.trust == .system)
  #expect(configuration.push.apns?.url == Origin("https://api.push.apple.com:443/"))
  #expect(configuration.push.webPush?.subject == "mailto:ops@example.net")
  #expect(configuration.redis.username == nil && configuration.redis.ca == nil && configuration.redis.allowPersistence)
  #expect(configuration.redis.sentinelTLS == true && configuration.redis.sentinelCA == nil)
  #expect(configuration.handoverSocket == "/run/ringhold/a.sock" && !configuration.hasTrunks)
  #expect(configuration.accounts == .init(answeredCalls: 1, slots: 2, whenFull: .refuse, receipt: .seconds(3)))
  #expect(configuration.log == .init(level: .debug, format: .json))
}

@Test func secretsAreNotShown() throws {
  let configuration = try read(complete)
  #expect(configuration.redis.password?.revealed == "hush")
  var dumped = ""
  dump(configuration, to: &dumped)
  for text in ["\(configuration)", String(reflecting: configuration), dumped] {
    #expect(!text.contains("hush") && !text.contains("6379"))
  }
}

@Test func jsonIsTaken() throws {
  let configuration = try read("{\n\t\"server_name\": \"a.example\",\n\t\"accounts\": {\"slots\": 3}\n}\n")
  #expect(configuration.serverName == "a.example" && configuration.accounts.slots == 3)
}

@Test func theEnvironmentWins() throws {
  let environment = [
    "RINGHOLD_HTTPS_LISTEN": "127.0.0.1:1, [::1]:2", "RINGHOLD_SIP_LISTEN_UDP": "127.0.0.1:3", "RINGHOLD_SIP_LISTEN_TLS": "",
    "RINGHOLD_ACCOUNTS_SLOTS": "7", "RINGHOLD_PUSH_APNS_KEY": "k.p8", "RINGHOLD_PUSH_APNS_KEY_ID": "A", "RINGHOLD_PUSH_APNS_TEAM_ID": "B",
    "RINGHOLD_PORT_443_TCP": "tcp://10.0.0.1:443",
  ]
  let configuration = try read("accounts: {slots: 2}\nhttps: {listen: [\"127.0.0.1:9\"]}", environment)
  #expect(configuration.https.listen.map(\.text) == ["127.0.0.1:1", "[::1]:2"])
  #expect(configuration.sip.listen == .init(udp: .loopback(3), tcp: .loopback(5060), tls: nil))
  #expect(configuration.accounts.slots == 7)
  #expect(configuration.push.apns?.key.path == "k.p8")
}

@Test(arguments: [
  ("sevrer_name: a", "etc/r.yaml:1: sevrer_name: there is no such key, did you mean 'server_name'?"),
  ("log:\n  levle: info", "etc/r.yaml:2: log.levle: there is no such key, did you mean 'level'?"),
  ("colour: blue", "etc/r.yaml:1: colour: there is no such key"),
  (
    "\nhttps: {listen: \"127.0.0.1:1\"}",
    "etc/r.yaml:2: https.listen: must be a list, each element ADDRESS:PORT, such as 127.0.0.1:8443 or [::1]:8443"
  ),
  ("https: {listen: []}", "etc/r.yaml:1: https.listen: must have at least one address: phones come here"),
  ("admin: {listen: [a]}", "etc/r.yaml:1: admin.listen: must be ADDRESS:PORT, such as 127.0.0.1:8443 or [::1]:8443, not a list"),
  ("accounts: {slots: four}", "etc/r.yaml:1: accounts.slots: must be a whole number, not 'four'"),
  ("accounts: {slots: \"4\"}", "etc/r.yaml:1: accounts.slots: must be a whole number, not '4' in quotes"),
  ("accounts: {slots: 0}", "etc/r.yaml:1: accounts.slots: must be from 1 to 16"),
  ("accounts: {when_full: drop}", "etc/r.yaml:1: accounts.when_full: must be one of replace-oldest, refuse, not 'drop'"),
  ("server_name: true", "etc/r.yaml:1: server_name: must be a host name, such as plus.example.net, not 'true'"),
  ("sip: {connection_per_account: yes}", "etc/r.yaml:1: sip.connection_per_account: must be true or false, not 'yes'"),
  (
    "sip: 5",
    "etc/r.yaml:1: sip: must be keys and values: listen, advertise, certificate, key, provider_ca, allow_networks, protection_timer_s, connection_per_account"
  ),
  ("https: {certificate: a.pem}", "etc/r.yaml:1: https.certificate: https.key is missing: a certificate needs its key"),
  ("push:\n  apns: {key: a, team_id: B}", "etc/r.yaml:2: push.apns.key_id: must be given"),
  ("sip: {listen: {}}", "sip.listen.udp: at least one of udp, tcp, tls must be given"),
  (
    "- a",
    "etc/r.yaml:1: must be keys and values: server_name, state, https, admin, sip, dns, push, node, redis, handover, accounts, entitlement, trunks, log"
  ),
  ("a: [", "etc/r.yaml:2: no YAML: did not find expected node content"),
])
func aRefusalNamesItsPlace(text: String, line: String) {
  #expect(refusal(text) == line)
}

@Test func aVariableIsNamedInItsRefusal() {
  #expect(refusal("", ["RINGHOLD_ADMIN_LISTEN": "9090"]).hasPrefix("RINGHOLD_ADMIN_LISTEN: must be ADDRESS:PORT"))
  #expect(
    refusal("", ["RINGHOLD_HTTP_LISTEN": "a"])
      == "RINGHOLD_HTTP_LISTEN: no key of the configuration has this variable, did you mean 'RINGHOLD_HTTPS_LISTEN'?")
}

@Test func aMissingFileIsOneLine() throws {
  let error = try #require(throws: ConfigurationError.self) { try Configuration.load(file: "/nowhere/r.yaml", environment: [:]) }
  #expect(error.description == "/nowhere/r.yaml: there is no such file")
  let named = try #require(try read("https:\n  {certificate: /nowhere/c.pem, key: k}").https.identity)
  let inner = try #require(throws: ConfigurationError.self) { try named.certificate.read() }
  #expect(inner.description == "etc/r.yaml:2: https.certificate: '/nowhere/c.pem': there is no such file")
  let folder = try #require(throws: ConfigurationError.self) { try Configuration.load(file: "/", environment: [:]) }
  #expect(folder.description == "/: this is a folder")
  let endless = try #require(throws: ConfigurationError.self) { try Configuration.load(file: "/dev/zero", environment: [:]) }
  #expect(endless.description == "/dev/zero: larger than 1 MiB")
}

@Test(arguments: [
  ("https://a.example", true, "a.example", 443), ("http://A.example:80/", false, "a.example", 80), ("https://[::1]", true, "::1", 443),
  ("https://127.0.0.1:2197", true, "127.0.0.1", 2197),
])
func anOrigin(text: String, isSecure: Bool, host: String, port: Int) throws {
  let origin = try #require(Origin(text))
  #expect(origin.isSecure == isSecure && origin.host == host && Int(origin.port) == port)
}

@Test(arguments: ["a.example", "ftp://a", "https://", "https://a/b", "https://a:b", "https://u@a", "https://a:1:2"])
func noOrigin(text: String) { #expect(Origin(text) == nil) }

@Test(arguments: [("a", "b", 1), ("levle", "level", 1), ("", "abc", 3), ("listen", "listne", 1), ("kitten", "sitting", 3)])
func distanceCountsKeystrokes(left: String, right: String, distance: Int) {
  #expect(Suggestion.distance(left, right) == distance)
}
