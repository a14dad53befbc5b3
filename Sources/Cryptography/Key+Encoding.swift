import COpenSSL
import Primitives

/// Raw keys: 32 bytes for everything but a public P-256 key, which is a point of 65 (SEC 1 §2.3.3, uncompressed).
extension Key {
  /// A checked public key.
  static func importing(_ kind: Kind, publicKey: Bytes) throws(KeyError) -> Key {
    guard publicKey.count == (kind == .p256 ? 65 : 32) else { throw .unusableCoordinate }
    switch kind {
    case .ed25519: try Curve25519.checkEdwards(publicKey)
    case .x25519: try Curve25519.checkMontgomery(publicKey)
    case .p256: guard publicKey[0] == 4 else { throw .unusableCoordinate }
    }
    // Making an EC key refuses a point that is not on the curve, and on P-256 every other point has the full order.
    guard let key = unchecked(kind, publicKey: publicKey) else { throw .notOnCurve }
    return key
  }

  /// With no more checks than OpenSSL's own. nil where those fail.
  static func unchecked(_ kind: Kind, publicKey: Bytes) -> Key? {
    defer { ERR_clear_error() }
    let key = unsafe publicKey.withBytes { bytes in
      unsafe kind == .p256
        ? ringhold_p256_key(bytes.baseAddress, nil)
        : EVP_PKEY_new_raw_public_key_ex(nil, kind.rawValue, nil, bytes.baseAddress, bytes.count)
    }
    return unsafe key.map { unsafe Key(owning: $0, kind) }
  }

  static func importing(_ kind: Kind, privateKey: Bytes) throws(KeyError) -> Key {
    guard privateKey.count == 32 else { throw .unusablePrivateKey }
    defer { ERR_clear_error() }
    if kind == .p256 { return try importingP256(privateKey) }
    let key = unsafe privateKey.withBytes { bytes in
      unsafe EVP_PKEY_new_raw_private_key_ex(nil, kind.rawValue, nil, bytes.baseAddress, bytes.count)
    }
    guard let key = unsafe key else { throw .unusablePrivateKey }
    return unsafe Key(owning: key, kind)
  }

  private static func importingP256(_ scalar: Bytes) throws(KeyError) -> Key {
    guard let point = P256.point(of: scalar) else { throw .unusablePrivateKey }
    let key = unsafe scalar.withBytes { scalar in
      unsafe point.withBytes { point in unsafe ringhold_p256_key(point.baseAddress, scalar.baseAddress) }
    }
    guard let key = unsafe key else { throw .unusablePrivateKey }
    return unsafe Key(owning: key, .p256)
  }

  var publicKey: Bytes {
    guard kind == .p256 else { return unsafe octets(EVP_PKEY_get_raw_public_key) }
    // Coordinate by coordinate: a key from a file may want its point written compressed.
    return [4] + number(OSSL_PKEY_PARAM_EC_PUB_X) + number(OSSL_PKEY_PARAM_EC_PUB_Y)
  }

  /// A secret: the caller keeps it as one. Only of a key that has a private part.
  var privateKey: Bytes {
    unsafe kind == .p256 ? number(OSSL_PKEY_PARAM_PRIV_KEY) : octets(EVP_PKEY_get_raw_private_key)
  }

  private func octets(_ read: (OpaquePointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int>?) -> Int32) -> Bytes {
    unsafe Bytes(unsafeUninitializedCapacity: 32) { out, count in
      count = 32
      precondition(unsafe read(pointer, out.baseAddress, &count) == 1, "the key has no such part")
    }
  }

  private func number(_ name: String) -> Bytes {
    var number: OpaquePointer?
    precondition(unsafe EVP_PKEY_get_bn_param(pointer, name, &number) == 1, "the key has no such part")
    defer { unsafe BN_clear_free(number) }
    return unsafe Bytes(unsafeUninitializedCapacity: 32) { out, count in
      count = Int(unsafe BN_bn2binpad(number, out.baseAddress, 32))
    }
  }
}

/// The curve itself.
enum P256 {
  nonisolated(unsafe) static let group = unsafe Algorithms.require(EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1), "P-256")

  /// The public key of a private one; nil unless it is from 1 to the order - 1.
  static func point(of scalar: Bytes) -> Bytes? {
    let number = unsafe scalar.withBytes { unsafe BN_bin2bn($0.baseAddress, Int32($0.count), BN_secure_new()) }
    let point = unsafe EC_POINT_new(group)
    defer {
      unsafe BN_clear_free(number)
      unsafe EC_POINT_free(point)
    }
    guard unsafe BN_is_zero(number) == 0, unsafe BN_cmp(number, EC_GROUP_get0_order(group)) < 0 else { return nil }
    guard unsafe EC_POINT_mul(group, point, number, nil, nil, nil) == 1 else { return nil }
    return unsafe Bytes(unsafeUninitializedCapacity: 65) { out, count in
      count = unsafe EC_POINT_point2oct(group, point, POINT_CONVERSION_UNCOMPRESSED, out.baseAddress, 65, nil)
    }
  }
}
