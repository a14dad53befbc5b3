import Primitives

/// One line of the log as bytes, with its line feed.
struct LogLine {
  let time: Instant
  let level: Log.Level
  let message: StaticString
  let fields: [LogField]

  func bytes(_ format: Log.Format) -> Bytes {
    switch format {
    case .text: text
    case .json: json
    }
  }

  private var text: Bytes {
    var line = Bytes()
    line.reserveCapacity(128)
    UTCTime(time).write(to: &line)
    line.append(UInt8(ascii: " "))
    line.append(text: level.rawValue)
    line.append(UInt8(ascii: " "))
    line.append(message)
    for field in fields {
      line.append(UInt8(ascii: " "))
      line.append(field.name)
      line.append(UInt8(ascii: "="))
      switch field.value {
      case .word(let word): line.append(text: word.utf8.contains(UInt8(ascii: " ")) ? "\"\(word)\"" : word)
      case .number(let number): line.append(text: number)
      }
    }
    line.append("\n")
    return line
  }

  private var json: Bytes {
    var line = Bytes()
    line.append(text: #"{"time":"\#(UTCTime(time).text)","level":"\#(level.rawValue)","message":\#(Self.quoted(message.description))"#)
    for field in fields {
      line.append(text: ",\(Self.quoted(field.name.description)):")
      switch field.value {
      case .word(let word): line.append(text: Self.quoted(word))
      case .number(let number): line.append(text: number)
      }
    }
    line.append("}\n")
    return line
  }

  /// RFC 8259 §7.
  private static func quoted(_ word: String) -> String {
    var out = "\""
    for character in word.unicodeScalars {
      switch character {
      case "\"", "\\": out += "\\\(character)"
      case _ where character.value < 0x20: out += "\\u00" + Hex.encode([UInt8(character.value)])
      default: out.unicodeScalars.append(character)
      }
    }
    return out + "\""
  }
}
