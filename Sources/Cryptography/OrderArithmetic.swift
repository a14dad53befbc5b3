import COpenSSL
import Primitives

/// Numbers modulo the order of P-256. They live in one OpenSSL context that wipes them when it goes; all are marked secret, so that
/// OpenSSL takes its paths of constant time where it has them.
@safe final class OrderArithmetic {
  private typealias Number = OpaquePointer

  private let context = unsafe Algorithms.require(BN_CTX_secure_new(), "numbers")
  private let order = unsafe Algorithms.require(EC_GROUP_get0_order(P256.group), "an order")

  init() { unsafe BN_CTX_start(context) }

  deinit {
    unsafe BN_CTX_end(context)
    unsafe BN_CTX_free(context)
  }

  /// RFC 6979 §2.3.4 bits2octets, of 32 bytes.
  func reduced(_ bytes: Bytes) -> Bytes {
    let number = unsafe number(bytes)
    return unsafe self.bytes(remainder(number))
  }

  /// SEC 1 §4.1.3: r ‖ s. nil where this nonce cannot be used, and the next one has to be tried.
  func signature(digest: Bytes, scalar: Bytes, nonce: Bytes) -> Bytes? {
    let nonce = unsafe number(nonce)
    guard unsafe BN_is_zero(nonce) == 0, unsafe BN_cmp(nonce, order) < 0 else { return nil }
    let r = unsafe remainder(abscissa(nonce))
    // s = (h + r·x) / k, with both sides of the fraction times a random number: multiplying and dividing take a time that depends on
    // the numbers, which then says nothing of the key.
    let blind = unsafe blind()
    let hidden = unsafe product(product(blind, number(scalar)), r)
    let numerator = unsafe sum(product(blind, remainder(number(digest))), hidden)
    let s = unsafe product(inverse(product(blind, nonce)), numerator)
    guard unsafe BN_is_zero(r) == 0, unsafe BN_is_zero(s) == 0 else { return nil }
    return unsafe bytes(r) + bytes(s)
  }

  private func number() -> Number {
    let number = unsafe Algorithms.require(BN_CTX_get(context), "a number")
    unsafe BN_set_flags(number, BN_FLG_CONSTTIME)
    return unsafe number
  }

  private func number(_ bytes: Bytes) -> Number {
    let number = unsafe number()
    unsafe bytes.withBytes { bytes in unsafe Self.check(BN_bin2bn(bytes.baseAddress, Int32(bytes.count), number) != nil) }
    return unsafe number
  }

  private func bytes(_ number: Number) -> Bytes {
    unsafe Bytes(unsafeUninitializedCapacity: 32) { out, count in
      count = 32
      unsafe Self.check(BN_bn2binpad(number, out.baseAddress, 32) == 32)
    }
  }

  /// The x of the nonce times the generator.
  private func abscissa(_ nonce: Number) -> Number {
    let point = unsafe Algorithms.require(EC_POINT_new(P256.group), "a point")
    defer { unsafe EC_POINT_clear_free(point) }
    let x = unsafe number()
    unsafe Self.check(EC_POINT_mul(P256.group, point, nonce, nil, nil, context) == 1)
    unsafe Self.check(EC_POINT_get_affine_coordinates(P256.group, point, x, nil, context) == 1)
    return unsafe x
  }

  private func blind() -> Number {
    let number = unsafe number()
    repeat { unsafe Self.check(BN_priv_rand_range(number, order) == 1) } while unsafe BN_is_zero(number) == 1
    return unsafe number
  }

  private func remainder(_ number: Number) -> Number {
    let result = unsafe self.number()
    unsafe Self.check(BN_nnmod(result, number, order, context) == 1)
    return unsafe result
  }

  private func product(_ left: Number, _ right: Number) -> Number {
    let result = unsafe number()
    unsafe Self.check(BN_mod_mul(result, left, right, order, context) == 1)
    return unsafe result
  }

  private func sum(_ left: Number, _ right: Number) -> Number {
    let result = unsafe number()
    unsafe Self.check(BN_mod_add(result, left, right, order, context) == 1)
    return unsafe result
  }

  private func inverse(_ number: Number) -> Number {
    let result = unsafe self.number()
    unsafe Self.check(BN_mod_inverse(result, number, order, context) != nil)
    return unsafe result
  }

  private static func check(_ isDone: Bool) { precondition(isDone, "OpenSSL cannot calculate") }
}
