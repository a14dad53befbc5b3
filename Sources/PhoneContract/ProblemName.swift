extension Problem {
  public enum Name: String, Sendable, Hashable, CaseIterable {
    case malformed
    case noSuchPath = "no-such-path"
    case method
    case tooLarge = "too-large"
    case noSuchDevice = "no-such-device"
    case noOffer = "no-offer"
    case unavailable
    case `internal`

    case clockSkew = "clock-skew"
    case replayed
    case badSignature = "bad-signature"
    case keyInUse = "key-in-use"
    case notSetUp = "not-set-up"

    case providerUnreachable = "provider-unreachable"
    case credentialsMismatch = "credentials-mismatch"
    case slotsFull = "slots-full"
    case registrarNotAllowed = "registrar-not-allowed"
    case entitlementRequired = "entitlement-required"
    case entitlementInvalid = "entitlement-invalid"
    case tooManyRequests = "too-many-requests"

    case nothingHeld = "nothing-held"
    case lineInUse = "line-in-use"
    case callEnded = "call-ended"
    case noACK = "no-ack"
    case noCall = "no-call"
    case refused
    case notSupported = "not-supported"
  }
}

extension Problem.Name {
  public var status: Int {
    switch self {
    case .malformed: 400
    case .clockSkew, .replayed, .badSignature: 401
    case .credentialsMismatch, .registrarNotAllowed, .entitlementRequired, .entitlementInvalid: 403
    case .noSuchPath, .noSuchDevice, .noOffer, .notSetUp, .nothingHeld, .noCall: 404
    case .method: 405
    case .keyInUse, .slotsFull, .lineInUse: 409
    case .callEnded: 410
    case .tooLarge: 413
    case .refused: 422
    case .tooManyRequests: 429
    case .internal: 500
    case .notSupported: 501
    case .unavailable: 503
    case .providerUnreachable, .noACK: 504
    }
  }

  /// For people who read the traffic; programs look at the name.
  public var title: String {
    switch self {
    case .malformed: "The request is not as the contract says"
    case .noSuchPath: "There is nothing at this path"
    case .method: "This path does not know the method"
    case .tooLarge: "The body is larger than 64 KiB"
    case .noSuchDevice: "No such device on this account"
    case .noOffer: "No such offer is open"
    case .unavailable: "Not possible at the moment"
    case .internal: "The server made a mistake"
    case .clockSkew: "The signature was made too long ago or in the future"
    case .replayed: "This nonce was used before"
    case .badSignature: "The signature is missing or wrong"
    case .keyInUse: "This key belongs to another account"
    case .notSetUp: "This key is not set up"
    case .providerUnreachable: "The provider does not answer"
    case .credentialsMismatch: "The credentials are not those of the account"
    case .slotsFull: "All slots of the account are taken"
    case .registrarNotAllowed: "This registrar is not allowed"
    case .entitlementRequired: "An entitlement is required"
    case .entitlementInvalid: "The entitlement is not valid"
    case .tooManyRequests: "Too many requests"
    case .nothingHeld: "No call is held"
    case .lineInUse: "The line has a call"
    case .callEnded: "The call has ended"
    case .noACK: "The caller did not confirm the answer"
    case .noCall: "No call on this line"
    case .refused: "The other side refused"
    case .notSupported: "The provider does not support this"
    }
  }
}
