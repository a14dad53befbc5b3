import CLibYAML
import Primitives

/// What libyaml reports, one thing at a time, without its pointers.
enum YAMLEvent: Equatable {
  case scalar(String, isPlain: Bool)
  case listStart, listEnd, mappingStart, mappingEnd
  case documentStart, documentEnd, streamEnd
}

/// libyaml's event parser over one text. Anchors, aliases and tags are refused: a configuration needs none, and an alias
/// can make a small file a huge document.
@safe struct YAMLEvents: ~Copyable {
  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private let text: UnsafeMutableBufferPointer<UInt8>
  /// Where the last event began.
  private(set) var line = 1

  /// libyaml keeps pointers to its parser and to its input, so both get an address that does not change.
  init(_ bytes: Bytes) throws(YAMLError) {
    unsafe parser = .allocate(capacity: 1)
    unsafe text = .allocate(capacity: max(bytes.count, 1))
    _ = unsafe text.initialize(from: bytes)
    guard unsafe yaml_parser_initialize(parser) == 1 else { throw YAMLError(line: 1, text: "no memory to read it") }
    unsafe yaml_parser_set_input_string(parser, text.baseAddress, bytes.count)
    unsafe yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
  }

  deinit {
    unsafe yaml_parser_delete(parser)
    unsafe parser.deallocate()
    unsafe text.deallocate()
  }

  mutating func next() throws(YAMLError) -> YAMLEvent {
    var event = unsafe yaml_event_t()
    while true {
      guard unsafe yaml_parser_parse(parser, &event) == 1 else { throw problem() }
      defer { unsafe yaml_event_delete(&event) }
      line = unsafe Int(event.start_mark.line) + 1
      if unsafe event.type != YAML_STREAM_START_EVENT { return try unsafe value(of: event) }
    }
  }

  private func value(of event: yaml_event_t) throws(YAMLError) -> YAMLEvent {
    switch unsafe event.type {
    case YAML_SCALAR_EVENT:
      let scalar = unsafe event.data.scalar
      try refuse(anchor: unsafe scalar.anchor != nil, tag: unsafe scalar.tag != nil)
      let bytes = unsafe UnsafeBufferPointer(start: scalar.value, count: scalar.length)
      return unsafe .scalar(bytes.text, isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE)
    case YAML_SEQUENCE_START_EVENT:
      let sequence = unsafe event.data.sequence_start
      try refuse(anchor: unsafe sequence.anchor != nil, tag: unsafe sequence.tag != nil)
      return .listStart
    case YAML_MAPPING_START_EVENT:
      let mapping = unsafe event.data.mapping_start
      try refuse(anchor: unsafe mapping.anchor != nil, tag: unsafe mapping.tag != nil)
      return .mappingStart
    case YAML_ALIAS_EVENT: throw YAMLError(line: line, text: "an alias (*name) is not taken here: write the value out")
    case YAML_SEQUENCE_END_EVENT: return .listEnd
    case YAML_MAPPING_END_EVENT: return .mappingEnd
    case YAML_DOCUMENT_START_EVENT: return .documentStart
    case YAML_DOCUMENT_END_EVENT: return .documentEnd
    default: return .streamEnd
    }
  }

  private func refuse(anchor: Bool, tag: Bool) throws(YAMLError) {
    if anchor { throw YAMLError(line: line, text: "an anchor (&name) is not taken here: write the value out") }
    if tag { throw YAMLError(line: line, text: "a tag (!name) is not taken here") }
  }

  /// libyaml's own words, which never quote the file.
  private func problem() -> YAMLError {
    let words = unsafe parser.pointee.problem.map { unsafe String(cString: $0) } ?? "it cannot be read"
    let mark = unsafe max(parser.pointee.problem_mark.line, parser.pointee.mark.line)
    return YAMLError(line: Int(mark) + 1, text: "no YAML: \(words)")
  }
}
