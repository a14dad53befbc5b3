import FoundationEssentials
import Primitives

extension StatusReport {
  /// nil where it holds what JSON cannot: never, of numbers and texts.
  var json: Bytes? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    return (try? encoder.encode(self)).map { Bytes($0) }
  }

  /// nil where these bytes are no report.
  init?(json: Bytes) {
    guard let read = try? JSONDecoder().decode(StatusReport.self, from: Data(json)) else { return nil }
    self = read
  }
}
