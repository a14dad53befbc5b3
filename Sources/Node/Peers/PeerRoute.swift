/// What nodes ask each other: the path of the request. Bodies and answers are records, so that the version before and the version after
/// understand each other.
enum PeerRoute: String, CaseIterable {
  case greet, renew, phone, sip, handed

  private static let root = "/peer/1/"

  /// The field that names the node that asks. Its certificate has to name it too.
  static let nodeField = "node"

  var path: String { Self.root + rawValue }

  init?(path: String) {
    guard path.hasPrefix(Self.root) else { return nil }
    self.init(rawValue: String(path.dropFirst(Self.root.count)))
  }
}
