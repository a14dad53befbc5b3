import COpenSSL
import Primitives

/// Authenticated encryption with a 32-byte key, a 12-byte nonce and a 16-byte tag behind the ciphertext (RFC 5116).
enum AEAD: UInt16 {
  // RFC 9180 §7.3
  case aes256GCM = 2
  case chaCha20Poly1305 = 3

  static let keySize = 32
  static let nonceSize = 12
  static let tagSize = 16

  private var cipher: OpaquePointer {
    unsafe self == .aes256GCM ? Algorithms.aes256GCM : Algorithms.chaCha20Poly1305
  }

  /// `prefix` ‖ ciphertext ‖ tag.
  func seal(
    _ plaintext: some Collection<UInt8>, key: Bytes, nonce: Bytes, authenticating context: some Collection<UInt8>, after prefix: Bytes = []
  ) -> Bytes {
    let operation = unsafe Self.makeOperation()
    defer { unsafe EVP_CIPHER_CTX_free(operation) }
    Self.check(unsafe EVP_EncryptInit_ex2(operation, cipher, key, nonce, nil))
    unsafe Self.authenticate(context, operation) { unsafe EVP_EncryptUpdate($0, nil, $1, $2, $3) }
    let total = prefix.count + plaintext.count + Self.tagSize
    return unsafe Bytes(unsafeUninitializedCapacity: total) { out, count in
      let rest = unsafe UnsafeMutableBufferPointer(rebasing: out[prefix.count...])
      unsafe _ = out.update(fromContentsOf: prefix)
      let written = unsafe Self.run(plaintext, operation, into: rest) { unsafe EVP_EncryptUpdate($0, $1, $2, $3, $4) }
      let tag = unsafe rest.baseAddress.map { unsafe $0 + written }
      var none: Int32 = 0
      Self.check(unsafe EVP_EncryptFinal_ex(operation, tag, &none))
      Self.check(unsafe EVP_CIPHER_CTX_ctrl(operation, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagSize), tag))
      count = total
    }
  }

  /// nil where anything was changed or belongs to another key.
  func open(_ sealed: Slice, key: Bytes, nonce: Bytes, authenticating context: some Collection<UInt8>) -> Bytes? {
    guard sealed.count >= Self.tagSize else { return nil }
    let operation = unsafe Self.makeOperation()
    defer {
      unsafe EVP_CIPHER_CTX_free(operation)
      ERR_clear_error()
    }
    Self.check(unsafe EVP_DecryptInit_ex2(operation, cipher, key, nonce, nil))
    unsafe Self.authenticate(context, operation) { unsafe EVP_DecryptUpdate($0, nil, $1, $2, $3) }
    var tag = Array(sealed.suffix(Self.tagSize))
    Self.check(unsafe EVP_CIPHER_CTX_ctrl(operation, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagSize), &tag))
    let ciphertext = sealed.dropLast(Self.tagSize)
    var isAuthentic = false
    var plaintext = unsafe Bytes(unsafeUninitializedCapacity: ciphertext.count) { out, count in
      count = unsafe Self.run(ciphertext, operation, into: out) { unsafe EVP_DecryptUpdate($0, $1, $2, $3, $4) }
      var none: Int32 = 0
      var end: UInt8 = 0
      isAuthentic = unsafe EVP_DecryptFinal_ex(operation, &end, &none) == 1
    }
    guard isAuthentic else {
      plaintext.wipe()
      return nil
    }
    return plaintext
  }

  private static func makeOperation() -> OpaquePointer { unsafe Algorithms.require(EVP_CIPHER_CTX_new(), "a cipher") }

  private typealias Update = (
    OpaquePointer, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int32>, UnsafePointer<UInt8>?, Int32
  ) -> Int32

  /// OpenSSL takes a missing input as the end, so nothing is fed where there is nothing.
  private static func authenticate(
    _ context: some Collection<UInt8>, _ operation: OpaquePointer,
    _ update: (OpaquePointer, UnsafeMutablePointer<Int32>, UnsafePointer<UInt8>?, Int32) -> Int32
  ) {
    guard !context.isEmpty else { return }
    unsafe context.withBytes { context in
      var count: Int32 = 0
      check(unsafe update(operation, &count, context.baseAddress, Int32(context.count)))
    }
  }

  /// How many bytes came out: as many as went in.
  private static func run(
    _ input: some Collection<UInt8>, _ operation: OpaquePointer, into out: UnsafeMutableBufferPointer<UInt8>, _ update: Update
  ) -> Int {
    guard !input.isEmpty else { return 0 }
    return unsafe input.withBytes { input in
      var count: Int32 = 0
      check(unsafe update(operation, out.baseAddress, &count, input.baseAddress, Int32(input.count)))
      return Int(count)
    }
  }

  private static func check(_ result: Int32) { precondition(result == 1, "OpenSSL cannot encrypt") }
}
