import Glibc
import Primitives

extension ClusterFiles {
  /// Makes the folder, where it is not there yet, and the files in it.
  /// - Throws: in one line, why not. A folder with anything in it is left alone: the secrets in it may be in use.
  public func write(into folder: String) throws(Failure) {
    try Self.makeFolder(folder)
    guard try Self.isEmpty(folder) else { throw Failure("\(folder) is not empty; nothing was written") }
    for node in plan.nodes { try Self.makeFolder("\(folder)/\(node.name)") }
    for file in files { try Self.write(file, to: "\(folder)/\(file.path)") }
  }

  public struct Failure: Error, CustomStringConvertible {
    public let description: String
    init(_ description: String) { self.description = description }
  }

  private static func makeFolder(_ path: String) throws(Failure) {
    guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure("make the folder", path) }
  }

  private static func isEmpty(_ path: String) throws(Failure) -> Bool {
    guard let folder = unsafe opendir(path) else { throw failure("read the folder", path) }
    defer { unsafe closedir(folder) }
    var count = 0
    while unsafe readdir(folder) != nil { count += 1 }
    // Itself and the folder around it.
    return count <= 2
  }

  /// Never over a file that is there.
  private static func write(_ file: File, to path: String) throws(Failure) {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, file.isSecret ? 0o600 : 0o644)
    guard descriptor >= 0 else { throw failure("make", path) }
    defer { close(descriptor) }
    var rest = file.content[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBufferPointer { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 || errno == EINTR else { throw failure("write", path) }
      rest = rest.dropFirst(max(count, 0))
    }
  }

  private static func failure(_ act: String, _ path: String) -> Failure {
    Failure("cannot \(act) \(path): \(unsafe String(cString: strerror(errno)))")
  }
}
