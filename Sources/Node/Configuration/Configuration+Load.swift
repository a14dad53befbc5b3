import Primitives

extension Configuration {
  /// Reads `file`, or takes the embedded default without one, and puts the `RINGHOLD_…` variables of `environment` over it.
  ///
  /// - Throws: one line that names file, line and key.
  public static func load(file: String?, environment: [String: String]) throws(ConfigurationError) -> Configuration {
    guard let file else { return try read([], file: "", environment: environment) }
    do {
      return try read(try FileContents.read(file), file: file, environment: environment)
    } catch let error as FileContents.Failure {
      throw ConfigurationError("\(file): \(error.text)")
    } catch {
      throw error as? ConfigurationError ?? ConfigurationError("\(file): \(FileContents.Failure.unreadable.text)")
    }
  }

  /// Reads the text of a configuration that lies at `file`.
  static func read(_ text: Bytes, file: String, environment: [String: String]) throws(ConfigurationError) -> Configuration {
    let folder = file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
    let source = ConfigurationSource(file: file, folder: folder, environment: environment)
    let configuration = try Configuration(Section(try document(text, file), source: source))
    try source.refuseUnknownVariables()
    return configuration
  }

  private static func document(_ text: Bytes, _ file: String) throws(ConfigurationError) -> YAMLNode? {
    do {
      return try YAMLDocument.parse(text)
    } catch {
      throw ConfigurationError(at: ConfigurationPlace(file: file, line: error.line, key: ""), error.text)
    }
  }

  enum Key: String, ConfigurationKey {
    case serverName = "server_name"
    case state, https, admin, sip, dns, push, node, redis, handover, accounts, entitlement, trunks, log
  }

  init(_ section: Section<Key>) throws(ConfigurationError) {
    serverName = try section.value(.serverName, as: HostName.self)?.text ?? "localhost"
    state = try section.value(.state) ?? .memory
    https = try HTTPS(section.section(.https, of: HTTPS.Key.self))
    admin = try Admin(section.section(.admin, of: Admin.Key.self))
    sip = try SIP(section.section(.sip, of: SIP.Key.self))
    let dns = try section.section(.dns, of: DNSKey.self)
    nameServers = try dns.list(.servers, of: NameServer.self)?.map(\.address) ?? []
    push = try Push(section.section(.push, of: Push.Key.self))
    node = try Node(section.section(.node, of: Node.Key.self))
    redis = try Redis(section.section(.redis, of: Redis.Key.self))
    handoverSocket = try section.section(.handover, of: HandoverKey.self).file(.socket)?.path
    accounts = try Accounts(section.section(.accounts, of: Accounts.Key.self))
    entitlement = try Entitlement(section.section(.entitlement, of: Entitlement.Key.self))
    hasTrunks = try section.isFilledList(.trunks)
    log = try Log(section.section(.log, of: Log.Key.self))
  }

  private enum DNSKey: String, ConfigurationKey { case servers }
  private enum HandoverKey: String, ConfigurationKey { case socket }
}

extension Configuration.State: ConfigurationChoice {}
