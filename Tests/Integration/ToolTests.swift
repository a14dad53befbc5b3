import HTTP
import Network
import PhoneContract
import PhoneKit
import Primitives
import TestKit
import Testing

/// The phone contract spoken by clients of other people: only the signature comes from us.
@LoopActor
@Suite struct ToolTests {
  @Test(arguments: [("--http1.1", "HTTP/1.1 "), ("--http2", "HTTP/2 ")]) func curlIsAPhone(_ option: String, _ version: String) async throws
  {
    try await Site.with { site in
      let tool = Curl(site.setting, try site.phone(of: "curl\(option)"), [option])
      let setUp = try await tool.send(.setUp(tool.setUpBody))
      #expect(setUp.hasPrefix(version + "200"), "\(setUp)")
      #expect(setUp.contains(#""state":"registered""#))

      let caller = try site.call(tool.handset.user, .talks(for: 200))
      try await tool.handset.rings()
      #expect(try await tool.send(.fetch(.one, .answer)).contains(#""offer":"v=0\r\no=caller 4711"#))
      #expect(try await tool.send(.answer(.one, sdp: Handset.sdp, confirm: true)).hasSuffix(#"{"sdp":null}"#))
      #expect(try await tool.send(.status(.one, after: 0, wait: 20)).contains(#""why":"hung-up""#))
      #expect(await caller.complaint() == nil)
      #expect(try await tool.send(.removeSetUp).hasPrefix(version + "204"))
    }
  }

  @Test func nghttpIsAPhone() async throws {
    try await Site.with { site in
      let tool = NGHTTP(site.setting, try site.phone(of: "nghttp"))
      #expect(try await tool.send(.setUp(tool.setUpBody)).contains(#""state":"registered""#))
      let caller = try site.call(tool.handset.user, .listens)
      try await tool.handset.rings()
      #expect(try await tool.send(.fetch(.one, .answer)).contains("o=caller 4711"))
      #expect(try await tool.send(.answer(.one, sdp: Handset.sdp, confirm: true)).contains(#"{"sdp":null}"#))
      #expect(try await tool.send(.hangUp(.one)).contains(":status: 204"))
      #expect(await caller.complaint() == nil)
    }
  }

  /// RFC 9421 knows the authority as it was sent, whichever name led here.
  @Test func anAddressInThePlaceOfTheName() async throws {
    try await Site.with { site in
      let tool = Curl(site.setting, try site.phone(of: "by-address"), [], host: site.setting.https.ip.text)
      #expect(try await tool.send(.setUp(tool.setUpBody)).contains(#""state":"registered""#))
    }
  }
}
