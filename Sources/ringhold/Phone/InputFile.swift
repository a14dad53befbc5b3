import Node
import Primitives

/// A file that a command needs.
enum InputFile {
  static func read(_ path: String) throws(InputError) -> Bytes {
    do {
      return try FileContents.read(path)
    } catch {
      throw InputError("\(path): \(error.text)")
    }
  }
}

/// What is wrong with a file, in one line that begins with its name.
struct InputError: Error {
  let text: String
  init(_ text: String) { self.text = text }
}
