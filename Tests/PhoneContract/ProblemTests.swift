import PhoneContract
import Primitives
import Testing

@Suite struct ProblemTests {
  @Test func theBodyIsOfRFC9457() {
    #expect(
      Problem.malformed(at: "/account/registrar").json.text
        == #"{"type":"urn:ringhold:problem:malformed","status":400,"title":"The request is not as the contract says","pointer":"/account/registrar"}"#
    )
    #expect(
      Problem.refused(sipStatus: 488).json.text
        == #"{"type":"urn:ringhold:problem:refused","status":422,"title":"The other side refused","sip_status":488}"#)
  }

  @Test(arguments: Problem.Name.allCases) func isReadBack(name: Problem.Name) {
    #expect(Problem(json: Problem(name).json) == Problem(name))
    #expect((400...504).contains(name.status))
  }

  @Test func whatIsNoProblemOfOurs() {
    #expect(Problem(json: Array("<html>".utf8)) == nil)
    #expect(Problem(json: Array(#"{"type":"about:blank","status":404}"#.utf8)) == nil)
    #expect(Problem(json: Array(#"{"type":"urn:ringhold:problem:new"}"#.utf8)) == nil)
  }

  @Test func fieldsGoWithIt() {
    #expect(Problem(.replayed).fields.map { $0.value } == ["Signature"])
    #expect(Problem.unavailable(retryAfter: 3).fields.map { "\($0.name): \($0.value)" } == ["retry-after: 3"])
    #expect(Problem(.noCall).fields.isEmpty)
  }
}
