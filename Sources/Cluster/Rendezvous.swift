public import Store

/// Rendezvous hashing (Thaler and Ravishankar, 1998): every node finds the same owner for an account, and where a node comes or goes
/// only its own share moves.
public enum Rendezvous {
  /// nil where nobody lives.
  public static func owner(of account: AccountID, among nodes: [NodeID]) -> NodeID? {
    nodes.max { left, right in
      let (one, other) = (weight(account, left), weight(account, right))
      return one == other ? left < right : one < other
    }
  }

  /// FNV-1a over both names, then the finish of SplitMix64: FNV alone keeps names that differ in their last byte close together.
  private static func weight(_ account: AccountID, _ node: NodeID) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in account.bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    for byte in node.name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    hash = (hash ^ (hash >> 30)) &* 0xBF58_476D_1CE4_E5B9
    hash = (hash ^ (hash >> 27)) &* 0x94D0_49BB_1331_11EB
    return hash ^ (hash >> 31)
  }
}
