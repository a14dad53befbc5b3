import Primitives

/// The keys that one mapping of the file can have.
protocol ConfigurationKey: CaseIterable, RawRepresentable<String> {}

/// One mapping of the file, with the environment over it. It knows its keys from the start, so a key that is no key is
/// told before one that is missing because of it.
struct Section<Key: ConfigurationKey> {
  /// A value as it was given and where.
  private struct Given {
    let node: YAMLNode
    let place: ConfigurationPlace
    let isVariable: Bool
  }

  let source: ConfigurationSource
  private let path: [String]
  private let entries: [YAMLEntry]
  /// Whether the file has this mapping.
  let isInFile: Bool

  init(_ node: YAMLNode?, path: [String] = [], source: ConfigurationSource) throws(ConfigurationError) {
    self.source = source
    self.path = path
    entries = try Self.entries(of: node, path, source)
    isInFile = node.map { !$0.isNull } ?? false
    try refuseUnknownKeys()
  }

  private static func entries(
    of node: YAMLNode?, _ path: [String], _ source: ConfigurationSource
  ) throws(ConfigurationError) -> [YAMLEntry] {
    guard let node, !node.isNull else { return [] }
    guard case .mapping(let entries) = node.content else {
      let place = ConfigurationPlace(file: source.file, line: node.line, key: path.joined(separator: "."))
      throw ConfigurationError(at: place, "must be keys and values: \(Key.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return entries
  }

  private func refuseUnknownKeys() throws(ConfigurationError) {
    let keys = Key.allCases.map(\.rawValue)
    guard let unknown = entries.first(where: { !keys.contains($0.key) }) else { return }
    let name = (path + [String(unknown.key.quotedForError.dropFirst().dropLast())]).joined(separator: ".")
    let place = ConfigurationPlace(file: source.file, line: unknown.line, key: name)
    throw ConfigurationError(at: place, "there is no such key\(Suggestion.question(for: unknown.key, among: keys))")
  }

  /// The mapping below `key`, empty where nothing is given.
  func section<Child: ConfigurationKey>(_ key: Key, of type: Child.Type) throws(ConfigurationError) -> Section<Child> {
    try Section<Child>(entry(key)?.value, path: path + [key.rawValue], source: source)
  }

  /// Whether anything is given below `key`.
  func hasSection(_ key: Key) -> Bool {
    let isInFile = entry(key).map { !$0.value.isNull } ?? false
    return isInFile || source.hasVariable(below: path + [key.rawValue])
  }

  /// Whether `key` is given, be it as null.
  func has(_ key: Key) -> Bool { given(key) != nil }

  /// nil where nothing is given, or null.
  func value<Value: ConfigurationValue>(_ key: Key, as type: Value.Type = Value.self) throws(ConfigurationError) -> Value? {
    guard let given = given(key), !given.node.isNull else { return nil }
    return try Self.scalar(given.node, given.place)
  }

  func text(_ key: Key) throws(ConfigurationError) -> String? { try value(key, as: Word.self)?.text }

  /// For text that may be left empty to mean none.
  func textOrNothing(_ key: Key) throws(ConfigurationError) -> String? {
    let text = try value(key, as: Secret.self)?.revealed
    return text == "" ? nil : text
  }

  func number(_ key: Key, in range: ClosedRange<Int>, default standard: Int) throws(ConfigurationError) -> Int {
    guard let number = try value(key, as: Int.self) else { return standard }
    guard range.contains(number) else { throw error(key, "must be from \(range.lowerBound) to \(range.upperBound)") }
    return number
  }

  /// In a variable the elements stand between commas.
  func list<Value: ConfigurationValue>(_ key: Key, of type: Value.Type) throws(ConfigurationError) -> [Value]? {
    guard let given = given(key) else { return nil }
    var values: [Value] = []
    for node in try Self.elements(given, of: type) { values.append(try Self.scalar(node, given.place)) }
    return values
  }

  /// Whether there is a list with anything in it.
  func isFilledList(_ key: Key) throws(ConfigurationError) -> Bool {
    guard let given = given(key) else { return false }
    return try !Self.elements(given, of: Word.self).isEmpty
  }

  func file(_ key: Key) throws(ConfigurationError) -> ConfiguredFile? {
    guard let given = given(key), let path = try textOrNothing(key) else { return nil }
    let isRelativeToFile = !given.isVariable && !path.hasPrefix("/")
    return ConfiguredFile(path: isRelativeToFile ? source.folder + path : path, place: given.place)
  }

  /// `system` or a file.
  func trust(_ key: Key) throws(ConfigurationError) -> Trust {
    guard let file = try file(key), try text(key) != "system" else { return .system }
    return .file(file)
  }

  /// Both or neither.
  func identity(_ certificate: Key, _ key: Key) throws(ConfigurationError) -> Identity? {
    let (certificateFile, keyFile) = (try file(certificate), try file(key))
    switch (certificateFile, keyFile) {
    case (let certificate?, let key?): return Identity(certificate: certificate, key: key)
    case (nil, nil): return nil
    case (_?, nil): throw error(certificate, "\(name(key)) is missing: a certificate needs its key")
    case (nil, _?): throw error(key, "\(name(certificate)) is missing: a key needs its certificate")
    }
  }

  /// What `read` gave, or the error that says that it has to be there.
  func required<Value>(_ key: Key, _ value: Value?) throws(ConfigurationError) -> Value {
    guard let value else { throw error(key, "must be given") }
    return value
  }

  /// An error at the value of `key`, or at where its mapping begins.
  func error(_ key: Key, _ text: String) -> ConfigurationError {
    if let place = given(key)?.place { return ConfigurationError(at: place, text) }
    guard let first = entries.first else { return ConfigurationError("\(name(key)): \(text)") }
    return ConfigurationError(at: ConfigurationPlace(file: source.file, line: first.line, key: name(key)), text)
  }

  private func name(_ key: Key) -> String { (path + [key.rawValue]).joined(separator: ".") }

  private func entry(_ key: Key) -> YAMLEntry? { entries.first { $0.key == key.rawValue } }

  private func given(_ key: Key) -> Given? {
    let variable = ConfigurationSource.variable(for: path + [key.rawValue])
    if let text = source.value(of: variable) {
      let node = YAMLNode(content: .scalar(text, isPlain: true), line: 0)
      return Given(node: node, place: ConfigurationPlace(variable: variable), isVariable: true)
    }
    guard let entry = entry(key) else { return nil }
    let place = ConfigurationPlace(file: source.file, line: entry.line, key: name(key))
    return Given(node: entry.value, place: place, isVariable: false)
  }

  private static func elements<Value: ConfigurationValue>(
    _ given: Given, of type: Value.Type
  ) throws(ConfigurationError) -> [YAMLNode] {
    if given.node.isNull { return [] }
    switch given.node.content {
    case .list(let nodes): return nodes
    case .scalar(let text, _) where given.isVariable:
      return text.split(separator: ",").map { YAMLNode(content: .scalar($0.trimmed, isPlain: true), line: 0) }
    default: throw ConfigurationError(at: given.place, "must be a list, each element \(Value.shape)")
    }
  }

  private static func scalar<Value: ConfigurationValue>(
    _ node: YAMLNode, _ place: ConfigurationPlace
  ) throws(ConfigurationError) -> Value {
    guard case .scalar(let text, let isPlain) = node.content else {
      throw ConfigurationError(at: place, "must be \(Value.shape), not \(node.isList ? "a list" : "keys and values")")
    }
    let isOfOtherType = Value.isText ? isPlain && ["true", "false"].contains(text) : !isPlain
    guard !isOfOtherType, let value = Value(configured: text) else {
      throw ConfigurationError(at: place, "must be \(Value.shape), not \(text.quotedForError)\(isPlain ? "" : " in quotes")")
    }
    return value
  }
}

extension YAMLNode {
  fileprivate var isList: Bool {
    if case .list = content { true } else { false }
  }
}

extension Substring {
  fileprivate var trimmed: String {
    let isBlank = { (character: Character) in character == " " || character == "\t" }
    guard let first = firstIndex(where: { !isBlank($0) }), let last = lastIndex(where: { !isBlank($0) }) else { return "" }
    return String(self[first...last])
  }
}
