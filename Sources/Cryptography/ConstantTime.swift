import COpenSSL
import Primitives

/// Whether both hold the same bytes, in a time that tells only about their lengths: for everything an attacker may guess at.
public func isEqualInConstantTime(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
  guard left.count == right.count else { return false }
  guard !left.isEmpty else { return true }
  return unsafe left.withBytes { left in
    unsafe right.withBytes { right in unsafe CRYPTO_memcmp(left.baseAddress, right.baseAddress, left.count) == 0 }
  }
}
