import Foundation
import Testing

@Test func theTopLevelHoldsNothingElse() throws {
  let allowed: Set = ["Package.swift", "Sources", "Tests", "cluster", "ops", "README.md"]
  let found = try FileManager.default.contentsOfDirectory(atPath: Tree.root.path).filter { !$0.hasPrefix(".") }
  #expect(Set(found).subtracting(allowed) == [])
}

/// Modules that decide and touch nothing: what they may import, their own layer and what lies below it. They come here
/// with all that they import, so a clock, a socket or a file in one of them fails this test.
@Test(arguments: [
  ("Primitives", ["Synchronization"]),
  ("SIP", ["Primitives", "Cryptography"]),
  ("PhoneContract", ["Primitives", "FoundationEssentials"]),
  ("Store", ["Primitives"]),
  ("RESP", ["Primitives", "CHiredis"]),
  ("Switchboard", ["Primitives", "SIP", "Store", "PhoneContract"]), ("Cluster", ["Primitives", "Store"]),
  ("Core", ["Primitives", "SIP", "HTTP", "Store", "PhoneContract", "Cluster", "Switchboard"]),
])
func pureModulesImportNothingImpure(module: String, allowed: [String]) throws {
  let imports = try #require(Tree.imports[module])
  #expect(imports.subtracting(allowed) == [])
}

@Test func machinesOfProtocolsKnowNoSockets() throws {
  for module in ["HTTP", "Cryptography"] {
    let imports = try #require(Tree.imports[module])
    #expect(imports.isDisjoint(with: ["Network", "Foundation", "CLibUV", "CCares"]), "\(module)")
  }
}

/// Each C library and the one module that calls it.
private let doors = [
  "CLibUV": "Network", "CCares": "Network", "COpenSSL": "Cryptography", "CNghttp2": "HTTP", "CLibYAML": "Node", "CHiredis": "RESP",
]

@Test(arguments: doors) func oneModuleOpensADoor(door: String, owner: String) {
  let importers = Tree.imports.filter { $0.value.contains(door) }.keys.sorted()
  #expect(importers.isEmpty || importers == [owner])
}

@Test func everyDoorIsKnownHere() throws {
  let folders = try FileManager.default.contentsOfDirectory(atPath: Tree.root.appending(path: "Sources").path)
  let found = folders.filter { name in Tree.files(below: "Sources/\(name)", suffix: "module.modulemap").count == 1 }
  #expect(Set(found) == Set(doors.keys))
}

@Test func noFileIsLong() {
  let long = (Tree.swift + Tree.files(below: "ops") + Tree.files(below: "cluster")).filter { $0.lines.count > 401 }
  #expect(long.map(\.path) == [])
}

/// Each written in two parts, so that this file does not find itself.
private let forbidden = [
  "TO" + "DO", "FIX" + "ME", "try" + "!", " as" + "!", "fatal" + "Error(",
]

@Test(arguments: forbidden) func isNowhere(word: String) {
  let files =
    Tree.swift + Tree.files(below: "ops") + Tree.files(below: "cluster")
    + [Tree.file("README.md"), Tree.file("Package.swift")].compactMap { $0 }
  #expect(places(of: word, in: files) == [])
}

@Test func onlyPeopleAreSpokenTo() {
  let call = "print" + "("
  let files = Tree.files(below: "Sources", suffix: ".swift").filter {
    !$0.path.hasPrefix("Sources/ringhold/") && !$0.path.hasPrefix("Sources/Demo/")
  }
  #expect(places(of: call, in: files) == [])
}

@Test func whatTheCompilerDoesNotCheckSaysWhy() {
  let word = "@un" + "checked"
  for file in Tree.files(below: "Sources", suffix: ".swift") {
    for line in file.lines where line.text.contains(word) && !line.text.contains("//") {
      let before = file.lines[max(line.number - 6, 0)..<line.number - 1]
      #expect(before.contains { $0.text.contains("//") && $0.text.contains("nchecked") }, "\(file.path):\(line.number) has no reason")
    }
  }
}

private func places(of word: String, in files: [Tree.File]) -> [String] {
  files.filter { $0.text.range(of: word, options: .literal) != nil }.flatMap { file in
    file.lines.filter { $0.text.contains(word) }.map { "\(file.path):\($0.number)" }
  }
}
