import COpenSSL
import Primitives

/// RFC 7468 text to OpenSSL's objects and back, in memory.
enum PEM {
  /// All certificates, in their order; nil where there is none or one is broken.
  static func certificates(_ text: Bytes) -> [Certificate]? {
    defer { ERR_clear_error() }
    return unsafe reading(text) { bio in
      var found: [Certificate] = []
      while let pointer = unsafe PEM_read_bio_X509(bio, nil, nil, nil) { unsafe found.append(Certificate(owning: pointer)) }
      let isAtEnd = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE
      return isAtEnd && !found.isEmpty ? found : nil
    }
  }

  /// The first private key; nil where there is none, it is broken, or it is behind a password.
  static func privateKey(_ text: Bytes) -> Key? {
    defer { ERR_clear_error() }
    return unsafe reading(text) { bio in
      // Without an answer of ours OpenSSL would ask on the terminal for the password.
      let key = unsafe PEM_read_bio_PrivateKey(bio, nil, { _, _, _, _ in -1 }, nil)
      return unsafe key.map { unsafe Key(owning: $0) }
    }
  }

  static func text(_ certificate: Certificate) -> Bytes {
    unsafe writing { bio in unsafe PEM_write_bio_X509(bio, certificate.pointer) }
  }

  /// PKCS #8, not encrypted.
  static func text(_ key: Key) -> Bytes {
    unsafe writing { bio in unsafe PEM_write_bio_PKCS8PrivateKey(bio, key.pointer, nil, nil, 0, nil, nil) }
  }

  private static func reading<Result>(_ text: Bytes, _ body: (OpaquePointer) -> Result) -> Result {
    unsafe text.withBytes { text in
      let bio = unsafe Algorithms.require(BIO_new_mem_buf(text.baseAddress, Int32(clamping: text.count)), "a buffer")
      defer { unsafe BIO_free(bio) }
      return unsafe body(bio)
    }
  }

  private static func writing(_ body: (OpaquePointer) -> Int32) -> Bytes {
    // Secure memory is wiped when it is freed: what goes through here may be a private key.
    let bio = unsafe Algorithms.require(BIO_new(BIO_s_secmem()), "a buffer")
    defer { unsafe BIO_free(bio) }
    precondition(unsafe body(bio) == 1, "OpenSSL cannot write PEM")
    return unsafe MemoryBIO.drain(bio)
  }
}

/// An X.509 certificate in OpenSSL's keeping.
@safe final class Certificate {
  let pointer: OpaquePointer

  /// Takes over one reference.
  init(owning pointer: OpaquePointer) { unsafe self.pointer = pointer }

  deinit { unsafe X509_free(pointer) }
}
