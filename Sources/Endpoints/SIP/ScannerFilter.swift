internal import Primitives
internal import SIP

/// Programs that search the network for SIP servers to abuse tell their name. They get silence: an answer would tell them ours.
enum ScannerFilter {
  static func isScanner(_ request: Request) -> Bool {
    guard let agent = request.message.value(.userAgent)?.text.lowercased() else { return false }
    return names.contains { agent.contains($0) }
  }

  private static let names = [
    "friendly-scanner", "friendly-request", "sipvicious", "sundayddr", "sip-scan", "smap", "iwar", "sipcli", "vaxsipuseragent", "pplsip",
    "gulp", "siparmyknife",
  ]
}
