import COpenSSL
import Primitives

/// OpenSSL's growing memory buffers.
enum MemoryBIO {
  static func make() -> OpaquePointer { unsafe Algorithms.require(BIO_new(BIO_s_mem()), "a buffer") }

  static func count(_ bio: OpaquePointer) -> Int { unsafe ringhold_pending(bio) }

  /// Takes out all that is there.
  static func drain(_ bio: OpaquePointer) -> Bytes {
    let available = unsafe count(bio)
    guard available > 0 else { return [] }
    return unsafe Bytes(unsafeUninitializedCapacity: available) { out, taken in
      guard unsafe BIO_read_ex(bio, out.baseAddress, available, &taken) == 1 else { return taken = 0 }
    }
  }

  static func append(_ bytes: some Collection<UInt8>, to bio: OpaquePointer) {
    guard !bytes.isEmpty else { return }
    unsafe bytes.withBytes { bytes in
      var written = 0
      let result = unsafe BIO_write_ex(bio, bytes.baseAddress, bytes.count, &written)
      precondition(result == 1 && written == bytes.count, "OpenSSL has no memory for a buffer")
    }
  }
}
