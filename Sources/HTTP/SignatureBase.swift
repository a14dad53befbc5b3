public import Primitives

extension MessageSignature {
  /// §2.5: what is signed, for a request.
  public func base(for request: HTTPRequest) throws(Flaw) -> Bytes {
    try base { component throws(Flaw) in
      component.hasPrefix("@") ? try request.derived(component) : request.fields.covered(component)
    }
  }

  /// §2.5: what is signed, for a response.
  public func base(for response: HTTPResponse) throws(Flaw) -> Bytes {
    try base { component throws(Flaw) in
      guard component.hasPrefix("@") else { return response.fields.covered(component) }
      guard component == "@status" else { throw .unsupportedComponent }
      return String(response.status)
    }
  }

  private func base(value: (String) throws(Flaw) -> String?) throws(Flaw) -> Bytes {
    var base = Bytes()
    for component in components {
      guard let value = try value(component) else { throw .absentComponent }
      base.append(text: StructuredField.BareItem.string(component).text + ": " + value + "\n")
    }
    base.append(text: "\"@signature-params\": " + signatureParameters)
    return base
  }
}

extension HTTPFields {
  /// §2.1: each line's value without blanks around it, joined.
  fileprivate func covered(_ name: String) -> String? {
    let values = values(name)
    return values.isEmpty ? nil : values.map { Array($0.utf8).trimmedOfBlanks.text }.joined(separator: ", ")
  }
}

extension HTTPRequest {
  /// §2.2. `@query-param` is left out: it re-encodes what it covers, and `@query` covers it as sent.
  fileprivate func derived(_ component: String) throws(MessageSignature.Flaw) -> String {
    switch component {
    case "@method": method
    case "@scheme": scheme.asciiLowercased
    case "@authority": normalizedAuthority
    case "@target-uri": scheme + "://" + authority + path
    case "@request-target": target
    case "@path": pathOnly.isEmpty ? "/" : pathOnly
    case "@query": "?" + (query ?? "")
    default: throw .unsupportedComponent
    }
  }

  /// §2.2.3: lower case, without the scheme's own port.
  private var normalizedAuthority: String {
    let lower = authority.asciiLowercased
    let port = scheme.asciiLowercased == "http" ? ":80" : ":443"
    return lower.hasSuffix(port) ? String(lower.dropLast(port.count)) : lower
  }
}
