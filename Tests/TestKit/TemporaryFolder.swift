import Foundation
public import Primitives

/// A folder that is gone when this object is, and at the latest with the process.
public final class TemporaryFolder: Sendable {
  public let path: String

  public init() throws {
    let name = UUID().uuidString.prefix(8).lowercased()
    path = Self.root + "/" + name
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  /// Short, for the paths of sockets have 107 bytes at most.
  private static let root: String = {
    let path = FileManager.default.temporaryDirectory.path + "/ringhold-tests-\(ProcessInfo.processInfo.processIdentifier)"
    atexit { try? FileManager.default.removeItem(atPath: TemporaryFolder.root) }
    return path
  }()

  deinit { try? FileManager.default.removeItem(atPath: path) }

  public func path(_ name: String) -> String { path + "/" + name }

  /// Gives the path of the new file.
  @discardableResult
  public func write(_ name: String, _ contents: Bytes) throws -> String {
    try Data(contents).write(to: URL(fileURLWithPath: path(name)))
    return path(name)
  }

  @discardableResult
  public func write(_ name: String, _ text: String) throws -> String { try write(name, Array(text.utf8)) }
}
