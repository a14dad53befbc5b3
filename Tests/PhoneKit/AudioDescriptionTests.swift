import PhoneKit
import Primitives
import Testing

/// RFC 3264, RFC 8866.
@Suite struct AudioDescriptionTests {
  private let audio = AudioDescription(at: SocketAddress(ip: .loopbackIPv4, port: 40000))

  private func lines(_ sdp: String) -> [String] { sdp.split(separator: "\r\n").map(String.init) }

  private func offer(_ media: String...) -> String {
    (["v=0", "o=- 5 5 IN IP4 192.0.2.1", "s=-", "c=IN IP4 192.0.2.1", "t=0 0"] + media).map { $0 + "\r\n" }.joined()
  }

  private func media(_ sdp: String) -> [String] { lines(sdp).filter { $0.hasPrefix("m=") } }

  @Test func offersWhatItCan() {
    #expect(
      lines(audio.offer) == [
        "v=0", "o=- 1 1 IN IP4 127.0.0.1", "s=-", "c=IN IP4 127.0.0.1", "t=0 0", "m=audio 40000 RTP/AVP 8 0 101", "a=rtpmap:8 PCMA/8000",
        "a=rtpmap:0 PCMU/8000", "a=rtpmap:101 telephone-event/8000", "a=ptime:20", "a=sendrecv",
      ])
    #expect(audio.offer.hasSuffix("\r\n"))
  }

  @Test func writesIPv6() throws {
    let address = try #require(SocketAddress("[2001:db8::1]:4000"))
    #expect(lines(AudioDescription(at: address).offer)[3] == "c=IN IP6 2001:db8::1")
  }

  @Test func answersInTheOffersOrderWithItsNumbers() throws {
    let answer = try audio.answer(
      to: offer("m=audio 6000 RTP/AVP 9 0 96 8", "a=rtpmap:9 G722/8000", "a=rtpmap:96 telephone-event/8000", "a=rtpmap:8 PCMA/8000"),
      version: 3)
    #expect(media(answer) == ["m=audio 40000 RTP/AVP 0 96 8"])
    #expect(lines(answer)[1] == "o=- 1 3 IN IP4 127.0.0.1")
    #expect(lines(answer).contains("a=rtpmap:96 telephone-event/8000"))
  }

  @Test func takesTheFirstAudioThatFitsAndRefusesTheRest() throws {
    let answer = try audio.answer(
      to: offer("m=audio 6000 RTP/SAVP 0", "m=video 6002 RTP/AVP 31", "m=audio 6004 RTP/AVP 8", "m=audio 6006 RTP/AVP 8"))
    #expect(media(answer) == ["m=audio 0 RTP/SAVP 0", "m=video 0 RTP/AVP 31", "m=audio 40000 RTP/AVP 8", "m=audio 0 RTP/AVP 8"])
  }

  @Test(arguments: [("sendonly", "recvonly"), ("recvonly", "sendonly"), ("inactive", "inactive"), ("sendrecv", "sendrecv")])
  func mirrorsTheDirection(offered: String, answered: String) throws {
    let inMedia = try audio.answer(to: offer("m=audio 6000 RTP/AVP 0", "a=\(offered)"))
    #expect(lines(inMedia).last == "a=\(answered)")
    let inSession = try audio.answer(to: offer("a=\(offered)", "m=audio 6000 RTP/AVP 0"))
    #expect(lines(inSession).last == "a=\(answered)")
  }

  @Test func takesBareLineFeeds() throws {
    #expect(media(try audio.answer(to: "v=0\nm=audio 6000 RTP/AVP 0\n")) == ["m=audio 40000 RTP/AVP 0"])
  }

  @Test(arguments: [
    "", "v=0", "m=", "m=audio", "m=audio 6000 RTP/AVP", "m=audio 0 RTP/AVP 0", "m=video 6000 RTP/AVP 0", "m=audio 6000 RTP/AVP 9",
    "m=audio 6000 RTP/AVP 101\r\na=rtpmap:101 telephone-event/8000", "m=audio 6000 RTP/AVP 0\r\na=rtpmap:0 OTHER/8000",
  ])
  func findsNothingToAnswer(_ sdp: String) { #expect(throws: PhoneError.noCommonMedia) { try audio.answer(to: sdp) } }
}
