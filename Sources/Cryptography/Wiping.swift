import COpenSSL
import Primitives

extension Bytes {
  /// Overwrites a secret before its memory goes back, in a way that no optimiser removes. Works where nothing else shares the buffer.
  mutating func wipe() {
    unsafe withUnsafeMutableBytes { unsafe OPENSSL_cleanse($0.baseAddress, $0.count) }
  }
}

/// Bytes that are wiped when nobody needs them any more. `@unchecked`: written once, before anybody else can have it.
final class Secret: @unchecked Sendable {
  private(set) var bytes: Bytes

  init(_ bytes: Bytes) { self.bytes = bytes }

  deinit { bytes.wipe() }
}
