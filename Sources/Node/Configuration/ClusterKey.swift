import Cryptography
import Primitives

/// What account ids are made with: the same key gives an account the same id, and our Contact at its provider the same user part, on
/// every node and after every restart.
enum ClusterKey {
  static let size = 32
  /// What is wrong with a file that holds none.
  static let shape = "not \(size) bytes in hexadecimal digits"

  /// Of `node.cluster_key`: 64 hexadecimal digits, with white space around them. Where none is configured, a random one: every account
  /// is another one to its provider after a restart, and its old binding there runs out by itself.
  /// - Throws: a line that names the file and what is wrong with it, without the key.
  static func load(_ file: ConfiguredFile?) throws(StartError) -> Bytes {
    guard let file else { return SystemRandom.bytes(size) }
    guard let key = read(try file.contents()) else {
      throw StartError("\(file.place.text): \(file.path.quotedForError): \(shape)")
    }
    return key
  }

  /// nil where that is no key.
  static func read(_ text: Bytes) -> Bytes? {
    let isSpace = { (byte: UInt8) in byte == 32 || (9...13).contains(byte) }
    guard let start = text.firstIndex(where: { !isSpace($0) }), let end = text.lastIndex(where: { !isSpace($0) }) else { return nil }
    guard let key = Hex.decode(text[start...end]), key.count == size else { return nil }
    return key
  }
}
