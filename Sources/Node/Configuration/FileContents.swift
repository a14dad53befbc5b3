import Glibc
public import Primitives

/// Reads whole files of a known largest size.
public enum FileContents {
  public enum Failure: Error, Equatable {
    case missing, notAllowed, folder, tooLarge, unreadable

    /// After the file's name and a colon.
    public var text: String {
      switch self {
      case .missing: "there is no such file"
      case .notAllowed: "this user may not read it"
      case .folder: "this is a folder"
      case .tooLarge: "larger than \(FileContents.limit >> 20) MiB"
      case .unreadable: "it cannot be read"
      }
    }
  }

  static let limit = 1 << 20

  public static func read(_ path: String) throws(Failure) -> Bytes {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw failure(errno) }
    defer { close(file) }
    var all = Bytes()
    while true {
      let (part, error) = chunk(of: file)
      if let error, error != EINTR { throw failure(error) }
      if error == nil, part.isEmpty { return all }
      all += part
      guard all.count <= limit else { throw .tooLarge }
    }
  }

  /// Whether people other than the owner and its group may read the file.
  static func isReadableByOthers(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IROTH != 0
  }

  private static func chunk(of file: Int32) -> (Bytes, error: Int32?) {
    var error: Int32?
    let part = unsafe Bytes(unsafeUninitializedCapacity: 64 << 10) { buffer, count in
      let got = unsafe Glibc.read(file, buffer.baseAddress, buffer.count)
      if got < 0 { error = errno }
      count = max(got, 0)
    }
    return (part, error)
  }

  private static func failure(_ number: Int32) -> Failure {
    switch number {
    case ENOENT, ENOTDIR: .missing
    case EACCES, EPERM: .notAllowed
    case EISDIR: .folder
    default: .unreadable
    }
  }
}
