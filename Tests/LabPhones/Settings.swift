import FoundationEssentials
import Network
import Primitives

/// What the lab tells the phones, as a JSON file.
struct Settings: Decodable {
  /// Where the lab asks for counts, `ADDRESS:PORT`.
  let control: String
  /// Where the push service that the phones share listens.
  let push: String
  /// Where the push service's key and certificate authority are written for the nodes.
  let folder: String
  /// `https://NAME[:PORT]`: the one name that phones know.
  let server: String
  let ca: String
  /// Name servers; where there is none, each phone stays with one of `nodes`.
  let dns: [String]
  let nodes: [String]
  /// Where calls are made from, and the provider that takes them, `ADDRESS:PORT`.
  let caller: String
  let provider: String
  let registrar: String
  let domain: String
  /// For the media that never flows.
  let media: String

  init(file: String) throws {
    self = try JSONDecoder().decode(Settings.self, from: try Data(contentsOf: URL(filePath: file)))
  }

  enum Failure: Error { case notAnAddress(String) }

  static func address(_ text: String) throws -> SocketAddress {
    guard let address = SocketAddress(text) else { throw Failure.notAnAddress(text) }
    return address
  }
}
