import TestKit

extension Program.Outcome {
  var lines: [String] { output.split(separator: "\n").map(String.init) }
}
