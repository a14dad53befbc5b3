import HTTP
import PhoneContract
import Primitives
import Store

/// Requests with an Idempotency-Key (phone contract, "An incoming call"): the same key from the same device gets the first answer
/// again, also while the first is still being worked on.
struct IdempotencyDesk {
  struct Key: Hashable {
    let device: DeviceID
    let text: String
  }

  /// Those who wait for the answer to the first request with their key.
  private var waiting: [Key: [HTTPAnswer]] = [:]

  /// Whether the request carries a key, well-formed or not.
  static func concerns(_ request: HTTPRequest) -> Bool { request.method == "POST" && request.fields["idempotency-key"] != nil }

  /// nil: not a key.
  static func key(_ request: HTTPRequest, _ device: DeviceID) -> Key? {
    guard let text = request.fields["idempotency-key"], Contract.isIdempotencyKey(text) else { return nil }
    return Key(device: device, text: text)
  }

  /// Whether this request is the first with its key; else it waits for the answer to that one.
  mutating func begins(_ key: Key, _ answer: @escaping HTTPAnswer) -> Bool {
    guard waiting[key] == nil else {
      waiting[key]?.append(answer)
      return false
    }
    waiting[key] = []
    return true
  }

  /// The first has its answer: those who get the same.
  mutating func ended(_ key: Key) -> [HTTPAnswer] { waiting.removeValue(forKey: key) ?? [] }
}
