/// Finds the word that somebody probably meant.
public enum Suggestion {
  /// The candidate that is the fewest keystrokes away, where that is few enough to be a slip; nil otherwise.
  static func nearest(to word: String, among candidates: [String]) -> String? {
    let ranked = candidates.map { (candidate: $0, distance: distance(word.lowercased(), $0.lowercased())) }
    guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
    return best.distance <= max(1, min(3, word.unicodeScalars.count / 3)) ? best.candidate : nil
  }

  /// ` Did you mean 'x'?`, or nothing.
  public static func question(for word: String, among candidates: [String]) -> String {
    nearest(to: word, among: candidates).map { ", did you mean '\($0)'?" } ?? ""
  }

  /// Insertions, deletions, replacements and swaps of neighbours that lead from one to the other. Words of a
  /// configuration are short; a long one is far from all of them.
  static func distance(_ left: String, _ right: String) -> Int {
    let (left, right) = (Array(left.unicodeScalars), Array(right.unicodeScalars))
    guard !left.isEmpty, !right.isEmpty, max(left.count, right.count) <= 80 else { return max(left.count, right.count) }
    var rows = [Array(0...right.count)]
    for i in 1...left.count {
      var row = [i]
      for j in 1...right.count {
        let replaced = rows[i - 1][j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1)
        var best = min(rows[i - 1][j] + 1, row[j - 1] + 1, replaced)
        if i > 1, j > 1, left[i - 1] == right[j - 2], left[i - 2] == right[j - 1] { best = min(best, rows[i - 2][j - 2] + 1) }
        row.append(best)
      }
      rows.append(row)
    }
    return rows[left.count][right.count]
  }
}
