/// In sipp's language.
extension Scenario {
  var xml: String {
    let body = steps.indices.map { element(steps[$0], after: steps[..<$0]) }.joined(separator: "\n")
    return "<?xml version=\"1.0\"?>\n<!DOCTYPE scenario SYSTEM \"sipp.dtd\">\n<scenario name=\"caller\">\n\(body)\n</scenario>\n"
  }

  private func element(_ step: Step, after earlier: ArraySlice<Step>) -> String {
    switch step {
    case .invite(let offer): send("INVITE sip:[service]@[remote_ip]", "1 INVITE", fields: contact, sdp: offer, repeats: true)
    case .expect(let status): expect(status)
    case .ack(let answer):
      earlier.contains { $0.isAnswered } ? send("ACK [next_url]", "1 ACK", fields: "[routes]\n", sdp: answer) : ackOfRefusal
    case .cancel: hop("CANCEL", "1 CANCEL", repeats: true)
    case .bye: send("BYE [next_url]", "2 BYE", fields: "[routes]\n", repeats: true)
    case .receive(let method): "<recv request=\"\(method)\" timeout=\"20000\"/>"
    case .ok: ok(sdp: false)
    case .accept: ok(sdp: true)
    case .pause(let milliseconds): "<pause milliseconds=\"\(milliseconds)\"/>"
    }
  }

  private func expect(_ status: Int) -> String {
    let provisional = status >= 180 ? [100, 180].filter { $0 < status } : []
    // The 2xx tells the route and where the callee is: another place than the 180 did, where a node has died in between.
    let route = status >= 200 ? " rrs=\"true\"" : ""
    return provisional.map { "<recv response=\"\($0)\" optional=\"true\"/>\n" }.joined()
      + "<recv response=\"\(status)\"\(route) timeout=\"20000\"/>"
  }

  private var contact: String { "Contact: <sip:caller@[local_ip]:[local_port];transport=[transport]>\n" }

  private func send(_ start: String, _ cseq: String, fields: String, sdp: Bool = false, repeats: Bool = false) -> String {
    """
    <send\(repeats ? " retrans=\"500\"" : "")><![CDATA[
    \(start) SIP/2.0
    Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]
    From: "\(name)" <sip:\(number)@\(Provider.domain)>;tag=[pid]-[call_number]
    To: <sip:[service]@\(Provider.domain)>[peer_tag_param]
    Call-ID: [call_id]
    CSeq: \(cseq)
    \(fields)Max-Forwards: 70
    \(sdp ? "Content-Type: application/sdp\nContent-Length: [len]\n\n" + Self.sdp : "Content-Length: 0\n")
    ]]></send>
    """
  }

  /// With the Via of the INVITE, as CANCEL and the ACK of a refusal want it (RFC 3261 §9.1, §17.1.1.3).
  private func hop(_ method: String, _ cseq: String, repeats: Bool = false) -> String {
    """
    <send\(repeats ? " retrans=\"500\"" : "")><![CDATA[
    \(method) sip:[service]@[remote_ip] SIP/2.0
    [last_Via:]
    From: "\(name)" <sip:\(number)@\(Provider.domain)>;tag=[pid]-[call_number]
    \(method == "ACK" ? "[last_To:]" : "To: <sip:[service]@\(Provider.domain)>")
    Call-ID: [call_id]
    CSeq: \(cseq)
    Max-Forwards: 70
    Content-Length: 0

    ]]></send>
    """
  }

  private var ackOfRefusal: String { hop("ACK", "1 ACK") }

  private func ok(sdp: Bool) -> String {
    """
    <send><![CDATA[
    SIP/2.0 200 OK
    [last_Via:]
    [last_From:]
    [last_To:]
    [last_Call-ID:]
    [last_CSeq:]
    Contact: <sip:caller@[local_ip]:[local_port];transport=[transport]>
    \(sdp ? "Content-Type: application/sdp\nContent-Length: [len]\n\n" + Self.sdp : "Content-Length: 0\n")
    ]]></send>
    """
  }

  private static let sdp = """
    v=0
    o=caller 4711 1 IN IP4 [local_ip]
    s=-
    c=IN IP4 [media_ip]
    t=0 0
    m=audio 40002 RTP/AVP 8 0
    a=rtpmap:8 PCMA/8000
    a=rtpmap:0 PCMU/8000

    """
}

extension Scenario.Step {
  fileprivate var isAnswered: Bool {
    if case .expect(200) = self { return true }
    return false
  }
}
