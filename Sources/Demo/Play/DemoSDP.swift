import Primitives

/// Session descriptions as phones send them (RFC 8866). Nobody speaks in the demo.
enum DemoSDP {
  static let ofCaller = description(user: "ann", port: 40_000)
  static let ofPhone = description(user: "phone", port: 40_002)

  private static func description(user: String, port: Int) -> String {
    [
      "v=0", "o=\(user) 1 1 IN IP4 127.0.0.1", "s=-", "c=IN IP4 127.0.0.1", "t=0 0", "m=audio \(port) RTP/AVP 8 0 101",
      "a=rtpmap:8 PCMA/8000",
      "a=rtpmap:0 PCMU/8000", "a=rtpmap:101 telephone-event/8000", "a=ptime:20", "a=sendrecv", "",
    ].joined(separator: "\r\n")
  }
}
