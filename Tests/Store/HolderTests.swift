import Primitives
import Store
import Testing

@Suite struct HolderTests {
  @Test(arguments: ["", "A", "a_b", "a.b", "é", String(repeating: "a", count: 33)]) func isNoName(text: String) {
    #expect(NodeID(text) == nil)
  }

  @Test func namesAreRead() throws {
    #expect(NodeID("node-1")?.name == "node-1")
    let holder = try Holder.sample("node-1", .max)
    #expect(holder.description == "node-1:18446744073709551615")
    #expect(Holder(holder.description) == holder)
    for text in ["", ":", "a", "a:", ":1", "a:-1", "a:1:2", "A:1"] { #expect(Holder(text) == nil) }
  }

  /// What this version writes; a later one has to read it.
  @Test func hasGoldenBytes() throws {
    let fence = try Fence.sample("b", 3, epoch: 300)
    #expect(Hex.encode(fence.record) == "0a050a0162100310ac02")
    #expect(try Fence(record: fence.record) == fence)
  }
}
