import Foundation
import Primitives
import Testing

@testable import Node

@Suite struct ClusterKeyTests {
  private let digits = String(repeating: "0a", count: 32)

  private func load(_ text: String) throws -> Bytes {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("ringhold-\(UUID().uuidString)")
    try Data(text.utf8).write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    let configuration = try read("node: {cluster_key: \(url.path)}")
    return try ClusterKey.load(configuration.node.clusterKey)
  }

  /// With `state: memory` too: an account then has the same Contact after every restart.
  @Test func theKeyOfTheFileIsUsed() throws {
    #expect(try load(digits) == Bytes(repeating: 0x0a, count: 32))
    #expect(try load(" \(digits.uppercased())\n") == Bytes(repeating: 0x0a, count: 32))
  }

  @Test func withoutOneEachStartHasItsOwn() throws {
    let none = try read("").node.clusterKey
    #expect(try ClusterKey.load(none).count == 32)
    #expect(try ClusterKey.load(none) != ClusterKey.load(none))
  }

  @Test(arguments: ["", "\n", "0a0b", "xy", String(repeating: "0a", count: 33), String(repeating: "0", count: 63) + "g"])
  func whatIsNoKeyStopsTheStart(text: String) {
    #expect {
      try load(text)
    } throws: { error in
      let line = "\(error)"
      return line.contains("cluster_key") && line.contains("not 32 bytes in hexadecimal digits") && (text.isEmpty || !line.contains(text))
    }
  }
}
