import Network

/// Why a node does not start, in one line.
public struct StartError: Error, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }

  /// Names the key of the configuration that the failure is about.
  static func explaining<Value, Failure: Error>(_ key: String, _ make: () throws(Failure) -> Value) throws(StartError) -> Value {
    do {
      return try make()
    } catch {
      throw StartError("\(key): \(error)")
    }
  }
}
