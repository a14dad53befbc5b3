import Primitives

/// A type that one scalar of the configuration can have.
protocol ConfigurationValue {
  /// What a person must write, after "must be".
  static var shape: String { get }

  /// Whether YAML calls it text. Numbers and truth values are not, and stand without quotes.
  static var isText: Bool { get }

  init?(configured text: String)
}

extension ConfigurationValue {
  static var isText: Bool { true }
}

/// Text that is not empty.
struct Word: ConfigurationValue {
  let text: String

  static var shape: String { "text" }

  init?(configured text: String) {
    guard !text.isEmpty else { return nil }
    self.text = text
  }
}

extension Secret: ConfigurationValue {
  static var shape: String { "text" }
  init?(configured text: String) { self.init(text) }
}

extension Bool: ConfigurationValue {
  static var shape: String { "true or false" }
  static var isText: Bool { false }

  init?(configured text: String) {
    switch text {
    case "true": self = true
    case "false": self = false
    default: return nil
    }
  }
}

extension Int: ConfigurationValue {
  static var shape: String { "a whole number" }
  static var isText: Bool { false }
  init?(configured text: String) { self.init(text) }
}

extension SocketAddress: ConfigurationValue {
  static var shape: String { "ADDRESS:PORT, such as 127.0.0.1:8443 or [::1]:8443" }
  init?(configured text: String) { self.init(text) }
}

extension IPAddress: ConfigurationValue {
  static var shape: String { "an IP address" }
  init?(configured text: String) { self.init(text) }
}

extension AddressRange: ConfigurationValue {
  static var shape: String { "a range of addresses, such as 10.0.0.0/8" }
  init?(configured text: String) { self.init(text) }
}

/// A name server: an address, port 53 unless another is given.
struct NameServer: ConfigurationValue {
  let address: SocketAddress

  static var shape: String { "an IP address, with or without a port" }

  init?(configured text: String) {
    guard let address = SocketAddress(text) ?? IPAddress(text).map({ SocketAddress(ip: $0, port: 53) }) else { return nil }
    self.address = address
  }
}

extension Origin: ConfigurationValue {
  static var shape: String { "an origin, such as https://push.example.net" }
  init?(configured text: String) { self.init(text) }
}

extension HostName: ConfigurationValue {
  static var shape: String { "a host name, such as plus.example.net" }
}

/// An enumeration whose raw values are the words of the file.
protocol ConfigurationChoice: ConfigurationValue, CaseIterable, RawRepresentable<String> {}

extension ConfigurationChoice {
  static var shape: String { "one of " + allCases.map(\.rawValue).joined(separator: ", ") }
  init?(configured text: String) { self.init(rawValue: text) }
}
