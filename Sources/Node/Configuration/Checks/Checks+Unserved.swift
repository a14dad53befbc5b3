extension Checks {
  /// What the configuration asks for and this version cannot do. An error where leaving it out would break a promise, such
  /// as who may set up a phone; a warning where the rest works without it.
  public static func unserved(_ configuration: Configuration) -> [Finding] {
    var findings: [Finding] = []
    if configuration.entitlement.isRequired { findings.append(.error("entitlement.required", "this version cannot check entitlements")) }
    if configuration.hasTrunks { findings.append(.error("trunks", "this version serves none")) }
    if configuration.push.fcm != nil { findings.append(.warning("push.fcm", "this version announces over APNs only")) }
    if configuration.push.webPush != nil { findings.append(.warning("push.webpush", "this version announces over APNs only")) }
    if configuration.handoverSocket != nil { findings.append(.warning("handover.socket", "this version hands nothing over")) }
    if configuration.accounts.receipt > .zero { findings.append(.warning("accounts.receipt_s", "this version asks for no receipts")) }
    return findings
  }
}
