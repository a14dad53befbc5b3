import COpenSSL
import Primitives

/// The two ways to write an ECDSA signature on P-256: r ‖ s of 32 bytes each, and the DER that OpenSSL takes (RFC 3279 §2.2.3).
enum ECDSASignature {
  /// - Parameter raw: 64 bytes. Numbers out of range are written too: no check of a signature accepts them.
  static func der(raw: Bytes) -> Bytes {
    let contents = integer(raw[..<32]) + integer(raw[32...])
    return [0x30, UInt8(contents.count)] + contents
  }

  /// X.690 §8.3: as short as can be, and positive.
  private static func integer(_ number: Slice) -> Bytes {
    let significant = number.drop { $0 == 0 }
    let needsZero = significant.first.map { $0 >= 0x80 } ?? true
    return [2, UInt8(significant.count + (needsZero ? 1 : 0))] + (needsZero ? [0] : []) + significant
  }

  /// - Parameter der: what OpenSSL wrote.
  static func raw(der: Bytes) -> Bytes {
    let signature = unsafe der.withBytes { der in
      var start = der.baseAddress
      return unsafe Algorithms.require(d2i_ECDSA_SIG(nil, &start, der.count), "a signature")
    }
    defer { unsafe ECDSA_SIG_free(signature) }
    return unsafe Bytes(unsafeUninitializedCapacity: 64) { out, count in
      unsafe BN_bn2binpad(ECDSA_SIG_get0_r(signature), out.baseAddress, 32)
      unsafe BN_bn2binpad(ECDSA_SIG_get0_s(signature), out.baseAddress.map { unsafe $0 + 32 }, 32)
      count = 64
    }
  }
}
