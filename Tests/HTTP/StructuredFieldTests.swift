import HTTP
import Primitives
import Testing

@Suite struct StructuredFieldTests {
  typealias Value = StructuredField.BareItem

  @Test(arguments: [
    ("42", Value.integer(42)), ("-999999999999999", .integer(-999_999_999_999_999)), ("4.5", .decimal(thousandths: 4500)),
    ("-0.001", .decimal(thousandths: -1)), ("\"a \\\"b\\\\\"", .string("a \"b\\")), ("foo123/456:x", .token("foo123/456:x")),
    ("*x", .token("*x")), (":cHJldGVuZA==:", .bytes(Array("pretend".utf8))), ("::", .bytes([])), ("?1", .boolean(true)),
    ("?0", .boolean(false)), ("@1659578233", .date(1_659_578_233)), ("%\"f%c3%bc%25%22\"", .displayString("fü%\"")),
  ])
  func itemsRoundTrip(_ text: String, _ value: Value) throws {
    #expect(try StructuredField.item(text) == .init(value))
    #expect(value.text == text)
    #expect(try StructuredField.item("  " + text + " ").value == value)
  }

  @Test(arguments: [
    "", "1.", "1.2345", "1234567890123456", "1234567890123.0", "--1", "\"a", "\"\\a\"", "\"\u{e9}\"", ":ab:", ":aGk:", ":aGk=", "?2",
    "@1.5",
    "%\"%C3%BC\"", "%\"%ff\"", "%\"%\"", "1 2", "a;", "a;B=1", "a; b=", "(1)", "a,",
  ])
  func refusesWhatIsNoItem(_ text: String) {
    #expect(throws: StructuredField.Malformed.self) { try StructuredField.item(text) }
  }

  @Test func readsParameters() throws {
    let item = try StructuredField.item("text/html;charset=utf-8;  q=0.5;x;q=1")
    #expect(item.parameters["charset"] == .token("utf-8"))
    #expect(item.parameters["q"] == .integer(1))
    #expect(item.parameters["x"] == .boolean(true))
    #expect(item.text == "text/html;charset=utf-8;q=1;x")
  }

  @Test func readsListsAndDictionaries() throws {
    let list = try StructuredField.list("sugar, (\"a\" \"b\";x );y=1 ,\ttea")
    #expect(list.map(\.text) == ["sugar", "(\"a\" \"b\";x);y=1", "tea"])
    #expect(try StructuredField.list("").isEmpty)
    let dictionary = try StructuredField.dictionary("a=1, b;x, c=(1 2), a=2")
    #expect(dictionary.all.map(\.key) == ["a", "b", "c"])
    #expect(dictionary.text == "a=2, b;x, c=(1 2)")
  }

  @Test(arguments: ["a=1,", ",a=1", "a=1 b=2", "A=1", "a=", "a=(1", "a=(1,2)", "a=(1\"b\")", "1=2"])
  func refusesWhatIsNoDictionary(_ text: String) {
    #expect(throws: StructuredField.Malformed.self) { try StructuredField.dictionary(text) }
  }

  @Test func datesRoundTrip() {
    #expect(HTTPDate.text(784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(HTTPDate.seconds("Sun, 06 Nov 1994 08:49:37 GMT") == 784_111_777)
    #expect(HTTPDate.text(0) == "Thu, 01 Jan 1970 00:00:00 GMT")
    #expect(HTTPDate.text(951_782_400) == "Tue, 29 Feb 2000 00:00:00 GMT")
    for day in stride(from: Int64(0), to: 47_482 * 86_400, by: 86_400 * 13 + 12_345) {
      #expect(HTTPDate.seconds(HTTPDate.text(day)) == day)
    }
  }

  @Test(arguments: [
    "Mon, 06 Nov 1994 08:49:37 GMT", "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
    "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 UTC", "",
  ])
  func refusesOtherDates(_ text: String) { #expect(HTTPDate.seconds(text) == nil) }
}
