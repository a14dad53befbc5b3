public import PhoneContract
import Primitives
import SIP
public import Store

/// From the words of the phone contract to those of the store and of SIP, and back.
extension Account {
  /// The account that a set-up asks for, without devices.
  init(_ body: AccountBody, id: AccountID) {
    self.init(
      id: id, registrar: body.registrar, user: body.user, domain: body.domain ?? body.registrar, authUser: body.authUser,
      credentials: body.credentials.compactMap { Credential($0) }, transport: Transport(body.transport),
      outboundProxy: body.outboundProxy, expires: body.expires)
  }
}

extension Credential {
  init?(_ body: CredentialBody) {
    guard let ha1 = Hex.decode(body.ha1) else { return nil }
    self.init(realm: body.realm, algorithm: Algorithm(body.algorithm), ha1: ha1)
  }

  /// For a digest.
  var digest: DigestCredential? {
    DigestCredential(realm: Array(realm.utf8), algorithm: algorithm.digest, ha1: Array(Hex.encode(ha1).utf8))
  }
}

extension Credential.Algorithm {
  init(_ algorithm: PhoneContract.DigestAlgorithm) {
    switch algorithm {
    case .md5: self = .md5
    case .sha256: self = .sha256
    case .sha512t256: self = .sha512t256
    }
  }

  var digest: SIP.DigestAlgorithm {
    switch self {
    case .md5: .md5
    case .sha256: .sha256
    case .sha512t256: .sha512to256
    }
  }
}

extension Account.Transport {
  public init(_ choice: TransportChoice) {
    switch choice {
    case .auto: self = .auto
    case .tls: self = .tls
    case .tcp: self = .tcp
    case .udp: self = .udp
    }
  }
}

extension Device {
  init(_ body: DeviceBody, id: DeviceID, now: Instant) {
    self.init(
      id: id, name: body.name, mode: body.mode == .ring ? .ring : .callback, signKey: DeviceKey(body.keys.sign),
      sealKey: body.keys.seal.map { DeviceKey($0) }, push: PushAddress(body.push), lastActive: now)
  }

  func state(isThis: Bool) -> SetUpState.DeviceState {
    SetUpState.DeviceState(id: id.text, name: name, isThis: isThis, push: push(state: pushState), lastActive: Timestamp(lastActive))
  }

  private func push(state: PushState) -> PhoneContract.PushState {
    switch state {
    case .ok: .ok
    case .gone: .gone
    case .none: .none
    }
  }
}

extension DeviceKey {
  public init(_ body: KeyBody) { self.init(kty: body.kty, crv: body.crv, x: body.x, y: body.y) }
}

extension PushAddress {
  init(_ body: PushBody) {
    switch body {
    case .apns(let token, let topic, let environment):
      self = .apns(token: token, topic: topic, environment: environment == .production ? .production : .development)
    case .fcm(let token): self = .fcm(token: token)
    case .webPush(let endpoint, let p256dh, let auth): self = .webPush(endpoint: endpoint, p256dh: p256dh, auth: auth)
    case .none: self = .none
    }
  }
}
