import Primitives
import Testing

@testable import Node

private func parse(_ text: String) throws -> YAMLNode? { try YAMLDocument.parse(Array(text.utf8)) }

@Test func aDocumentKeepsItsLines() throws {
  let root = try #require(try parse("a: 1\nb:\n  - x\n  - \"2\"\n"))
  let list = YAMLNode(
    content: .list([
      YAMLNode(content: .scalar("x", isPlain: true), line: 3), YAMLNode(content: .scalar("2", isPlain: false), line: 4),
    ]), line: 3)
  let entries = [
    YAMLEntry(key: "a", line: 1, value: YAMLNode(content: .scalar("1", isPlain: true), line: 1)),
    YAMLEntry(key: "b", line: 2, value: list),
  ]
  #expect(root == YAMLNode(content: .mapping(entries), line: 1))
}

@Test(arguments: ["", "# only a comment\n", "---\n...\n"]) func nothingIsNoError(text: String) throws {
  #expect(try parse(text)?.isNull ?? true)
}

@Test(arguments: [
  ("a: &x 1\nb: *x", 1, "anchor"), ("a: 1\nb: *x", 2, "alias"), ("a: !!str 1", 1, "tag"), ("a: 1\n\na: 2", 3, "'a' is there twice"),
  ("---\na: 1\n---\nb: 1", 3, "second document"), ("a: [1\nb: 2", 2, "no YAML"), ("a: \"x", 1, "no YAML"), ("[a]: 1", 1, "a key must be"),
])
func whatIsRefused(text: String, line: Int, words: String) throws {
  let error = try #require(throws: YAMLError.self) { try parse(text) }
  #expect(error.line == line)
  #expect(error.text.contains(words))
}

@Test func depthAndSizeAreBounded() throws {
  let deep = String(repeating: "[", count: 18) + String(repeating: "]", count: 18)
  let wide = "[" + String(repeating: "1,", count: 10_000) + "1]"
  #expect(try #require(throws: YAMLError.self) { try parse(deep) }.text.contains("nested"))
  #expect(try #require(throws: YAMLError.self) { try parse(wide) }.text.contains("more than"))
}

@Test func noCutOfATextCrashes() {
  let text = Array("a: {b: [1, \"x\\u00e9\", 'y'], c: |\n  lines\n}\nd: >-\n  folded\n".utf8)
  for end in text.indices { _ = try? YAMLDocument.parse(Array(text[..<end])) }
  for index in text.indices {
    var damaged = text
    damaged[index] = 0xFF
    _ = try? YAMLDocument.parse(damaged)
  }
}
