import PhoneContract
import Primitives

enum Sample {
  static let signKey = #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#
  static let sealKey = #"{"kty":"OKP","crv":"X25519","x":"3p7bfXt9wbTTW2HC7OQ1Nz-DQ8hbeGdNrfx-FG-IK08"}"#
  static let p256Key =
    #"{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}"#
  static let ha1 = "939e7578ed9e3c518a452acee763bce9"
  static let apns = #"{"service":"apns","token":"00FC13adff785122","topic":"com.example.app.voip","environment":"production"}"#

  static let setUp = """
    {"account": {"registrar": "sip.example.net", "user": "alice", "domain": "example.net", "auth_user": "alice",
                 "credentials": [{"realm": "example.net", "algorithm": "MD5", "ha1": "\(ha1)"}],
                 "transport": "auto", "outbound_proxy": null, "expires": 600},
     "device": {"name": "kitchen phone", "mode": "ring", "keys": {"sign": \(signKey), "seal": \(sealKey)}, "push": \(apns)},
     "entitlement": "a.b.c", "take_slot_of": "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"}
    """

  static let smallestSetUp = """
    {"account": {"registrar": "127.0.0.1:5070", "user": "a", "transport": "tls",
                 "credentials": [{"realm": "r", "algorithm": "MD5", "ha1": "\(ha1)"}]},
     "device": {"keys": {"sign": \(p256Key)}, "push": {"service": "none"}}}
    """
}

extension Result where Success == PhoneRequest, Failure == Problem {
  var problem: Problem? {
    if case .failure(let problem) = self { problem } else { nil }
  }

  var request: PhoneRequest? { try? get() }
}
