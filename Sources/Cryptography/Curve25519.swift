import COpenSSL
import Primitives

/// What OpenSSL does not ask of the public keys of Curve25519 and edwards25519. All encodings are 32 bytes, least significant first.
enum Curve25519 {
  /// RFC 7748 §5 and §6.1. A phone writes its key in the canonical way, so anything else is not from a phone that works.
  static func checkMontgomery(_ encoding: Bytes) throws(KeyError) {
    guard isCanonical(encoding) else { throw .notOnCurve }
    guard !lowOrderU.contains(encoding) else { throw .lowOrder }
  }

  /// RFC 8032 §5.1.3: decodes to a point, and to one that is not of small order, under which a signature proves nothing.
  static func checkEdwards(_ encoding: Bytes) throws(KeyError) {
    var y = encoding
    y[31] &= 0x7f
    guard isCanonical(y), isEdwardsY(y) else { throw .notOnCurve }
    guard !lowOrderY.contains(y) else { throw .lowOrder }
  }

  /// Below p = 2^255 - 19.
  private static func isCanonical(_ encoding: Bytes) -> Bool {
    !(encoding[31] >= 0x7f && encoding[0] >= 0xed && encoding[1..<31].allSatisfy { $0 == 0xff }) && encoding[31] < 0x80
  }

  /// x^2 = (y^2 - 1) / (d y^2 + 1) has a root where numerator times denominator has one. Runs at set-up only, on a public value.
  private static func isEdwardsY(_ y: Bytes) -> Bool {
    let context = unsafe Algorithms.require(BN_CTX_new(), "big numbers")
    unsafe BN_CTX_start(context)
    defer {
      unsafe BN_CTX_end(context)
      unsafe BN_CTX_free(context)
    }
    let square = unsafe number(y, context)
    let p = unsafe number(prime, context)
    let denominator = unsafe number(edwardsD, context)
    unsafe BN_mod_sqr(square, square, p, context)
    unsafe BN_mod_mul(denominator, denominator, square, p, context)
    unsafe BN_add_word(denominator, 1)
    unsafe BN_sub_word(square, 1)
    unsafe BN_mod_mul(square, square, denominator, p, context)
    return unsafe BN_kronecker(square, p, context) >= 0
  }

  private static func number(_ bytes: Bytes, _ context: OpaquePointer) -> OpaquePointer {
    let number = unsafe Algorithms.require(BN_CTX_get(context), "a big number")
    return unsafe bytes.withBytes { unsafe Algorithms.require(BN_lebin2bn($0.baseAddress, Int32($0.count), number), "a big number") }
  }

  private static let prime: Bytes = [0xed] + Bytes(repeating: 0xff, count: 30) + [0x7f]
  private static let zero = Bytes(repeating: 0, count: 32)
  private static let one: Bytes = [1] + Bytes(repeating: 0, count: 31)
  private static let minusOne: Bytes = [0xec] + Bytes(repeating: 0xff, count: 30) + [0x7f]

  /// The constant d of RFC 8032 §5.1.
  private static let edwardsD = hex("a3785913ca4deb75abd841414d0a700098e879777940c78c73fe6f2bee6c0352")

  /// The u of the points of order 1, 2, 4 and 8 on the curve and its twist.
  private static let lowOrderU: Set<Bytes> = [
    zero, one, minusOne, hex("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800"),
    hex("5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157"),
  ]

  /// The y of the points of order 1, 2, 4 and 8.
  private static let lowOrderY: Set<Bytes> = [
    zero, one, minusOne, hex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"),
    hex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"),
  ]

  private static func hex(_ digits: String) -> Bytes { Hex.decode(digits) ?? [] }
}
