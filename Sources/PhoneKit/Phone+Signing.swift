public import HTTP
public import PhoneContract

extension Phone {
  /// The request as it goes out, signed as the contract asks (RFC 9421).
  /// - Parameters:
  ///   - origin: scheme and authority, exactly as they will be sent.
  ///   - created: Unix seconds.
  ///   - nonce: never used before, 16 to 128 characters.
  ///   - idempotencyKey: covered by the signature.
  public func signed(
    _ request: EncodedRequest, scheme: String = "https", authority: String, created: Int64, nonce: String, idempotencyKey: String? = nil
  ) -> HTTPRequest {
    var out = HTTPRequest(method: request.method, scheme: scheme, authority: authority, path: request.target, body: request.body)
    var components = ["@method", "@authority", "@path", "@query"]
    if !request.body.isEmpty {
      out.fields.append("content-type", "application/json")
      out.fields.append("content-digest", ContentDigest.value(for: request.body))
      components.append("content-digest")
    }
    if let idempotencyKey {
      out.fields.append("idempotency-key", idempotencyKey)
      components.append("idempotency-key")
    }
    var signature = MessageSignature(covering: components, parameters: parameters(created: created, nonce: nonce))
    // Every covered component is there: they were put there above.
    guard let base = try? signature.base(for: out) else { return out }
    signature.signature = sign(base)
    signature.write(label: Contract.signatureLabel, to: &out.fields)
    return out
  }

  private func parameters(created: Int64, nonce: String) -> StructuredField.Parameters {
    var parameters = StructuredField.Parameters()
    parameters.set("created", to: .integer(created))
    parameters.set("nonce", to: .string(nonce))
    parameters.set("keyid", to: .string(id))
    parameters.set("tag", to: .string(Contract.signatureTag))
    return parameters
  }
}
