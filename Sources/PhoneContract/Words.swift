/// 1 or 2: the number that the phone chose for an answered call.
public enum Line: Int, Sendable, Hashable, Codable, CaseIterable {
  case one = 1
  case two = 2
}

/// How the server reaches the provider; `auto` leaves it to RFC 3263.
public enum TransportChoice: String, Sendable, Hashable, Codable, CaseIterable {
  case auto, tls, tcp, udp
}

/// Of a digest (RFC 7616, RFC 8760).
public enum DigestAlgorithm: String, Sendable, Hashable, Codable, CaseIterable {
  case md5 = "MD5"
  case sha256 = "SHA-256"
  /// SHA-512/t of FIPS 180-4 §5.3.6 with t = 256.
  case sha512t256 = "SHA-512-256"

  /// Of an HA1 in hexadecimal digits.
  public var hexLength: Int { self == .md5 ? 32 : 64 }
}

public enum DeviceMode: String, Sendable, Hashable, Codable, CaseIterable {
  case ring
  /// The call is refused at once and an ordinary notification says who called.
  case callback
}

public enum FetchStage: String, Sendable, Hashable, Codable, CaseIterable {
  /// Right after the announcement, without claiming.
  case early
  /// After the tap: claims the call.
  case answer
}

/// What the push service says of a device's token.
public enum PushState: String, Sendable, Hashable, Codable, CaseIterable {
  case ok, gone, none
}

public enum RegistrationState: String, Sendable, Hashable, Codable, CaseIterable {
  case registering
  case registered
  case credentialsNeeded = "credentials-needed"
  case rejected
  case unreachable
}

/// Why a call is over.
public enum EndReason: String, Sendable, Hashable, Codable, CaseIterable {
  case hungUp = "hung-up"
  case statusLost = "status-lost"
  case sessionExpired = "session-expired"
  case error
}

/// Why a device shall stop ringing.
public enum StopReason: String, Sendable, Hashable, Codable, CaseIterable {
  case answeredElsewhere = "answered-elsewhere"
  case declinedElsewhere = "declined-elsewhere"
  case callerHungUp = "caller-hung-up"
  case timedOut = "timed-out"
  case refused
}
