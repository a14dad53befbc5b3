import Primitives

/// Builds the tree of a document out of libyaml's events.
struct YAMLDocument: ~Copyable {
  /// More than any configuration has; both bound what a hostile file can cost.
  static let deepest = 16
  static let mostNodes = 10_000

  private var events: YAMLEvents
  private var nodes = 0

  private init(_ bytes: Bytes) throws(YAMLError) { events = try YAMLEvents(bytes) }

  /// nil for a text without a document, such as an empty one.
  static func parse(_ bytes: Bytes) throws(YAMLError) -> YAMLNode? {
    var document = try YAMLDocument(bytes)
    return try document.root()
  }

  private mutating func root() throws(YAMLError) -> YAMLNode? {
    guard try events.next() == .documentStart else { return nil }
    let root = try node(try events.next(), depth: 0)
    _ = try events.next()
    guard try events.next() == .streamEnd else { throw YAMLError(line: events.line, text: "a second document begins here") }
    return root
  }

  private mutating func node(_ event: YAMLEvent, depth: Int) throws(YAMLError) -> YAMLNode {
    let line = events.line
    nodes += 1
    guard depth <= Self.deepest else { throw YAMLError(line: line, text: "nested more than \(Self.deepest) deep") }
    guard nodes <= Self.mostNodes else { throw YAMLError(line: line, text: "more than \(Self.mostNodes) values") }
    switch event {
    case .listStart: return YAMLNode(content: .list(try list(depth + 1)), line: line)
    case .mappingStart: return YAMLNode(content: .mapping(try mapping(depth + 1)), line: line)
    case .scalar(let text, let isPlain): return YAMLNode(content: .scalar(text, isPlain: isPlain), line: line)
    default: throw YAMLError(line: line, text: "a value is missing")
    }
  }

  private mutating func list(_ depth: Int) throws(YAMLError) -> [YAMLNode] {
    var elements: [YAMLNode] = []
    while true {
      let event = try events.next()
      if event == .listEnd { return elements }
      elements.append(try node(event, depth: depth))
    }
  }

  private mutating func mapping(_ depth: Int) throws(YAMLError) -> [YAMLEntry] {
    var entries: [YAMLEntry] = []
    while true {
      let event = try events.next()
      if event == .mappingEnd { return entries }
      let line = events.line
      guard case .scalar(let key, _) = event else { throw YAMLError(line: line, text: "a key must be a word") }
      guard !entries.contains(where: { $0.key == key }) else {
        throw YAMLError(line: line, text: "\(key.quotedForError) is there twice")
      }
      entries.append(YAMLEntry(key: key, line: line, value: try node(try events.next(), depth: depth)))
    }
  }
}
