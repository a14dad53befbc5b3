import Foundation

/// The project's own files, as they lie on the disk.
enum Tree {
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  struct File: Sendable {
    /// From the root.
    let path: String
    let text: String

    /// Each line with its number, from 1.
    var lines: [(number: Int, text: Substring)] {
      text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map { ($0 + 1, $1) }
    }

    /// The modules that a Swift file imports.
    var imports: [String] {
      lines.compactMap { line in
        let words = line.text.split(separator: " ").filter { !$0.hasPrefix("@") && !["public", "internal", "package"].contains($0) }
        guard words.count >= 2, words[0] == "import" else { return nil }
        return String(words[1].prefix { $0 != "." })
      }
    }
  }

  /// The files below a folder whose names end so, in a fixed order.
  static func files(below folder: String, suffix: String = "") -> [File] {
    let paths = FileManager.default.enumerator(atPath: root.appending(path: folder).path)?.compactMap { $0 as? String } ?? []
    return paths.sorted().filter { $0.hasSuffix(suffix) }.compactMap { file("\(folder)/\($0)") }
  }

  /// nil for a folder and for what is no text.
  static func file(_ path: String) -> File? {
    guard let text = try? String(contentsOf: root.appending(path: path), encoding: .utf8) else { return nil }
    return File(path: path, text: text)
  }

  static let swift = files(below: "Sources", suffix: ".swift") + files(below: "Tests", suffix: ".swift")

  /// The modules of `Sources`, each with all that its files import.
  static let imports: [String: Set<String>] =
    Dictionary(grouping: files(below: "Sources", suffix: ".swift")) { String($0.path.split(separator: "/")[1]) }
    .mapValues { Set($0.flatMap(\.imports)) }
}
