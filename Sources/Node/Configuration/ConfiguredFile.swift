public import Primitives

/// A file that the configuration names. It is read when it is needed, at start and again on SIGHUP, never kept here.
public struct ConfiguredFile: Sendable, Hashable {
  /// As it was written; where that was relative and in a file, from that file's folder.
  public let path: String
  let place: ConfigurationPlace

  /// - Throws: a line that names the place in the configuration, the file, and why it cannot be read.
  public func read() throws(ConfigurationError) -> Bytes {
    do {
      return try FileContents.read(path)
    } catch {
      throw ConfigurationError(at: place, "\(path.quotedForError): \(error.text)")
    }
  }
}

/// Which certificates are trusted.
public enum Trust: Sendable, Hashable {
  case system
  case file(ConfiguredFile)
}

/// A certificate chain and its key, both in PEM.
public struct Identity: Sendable, Hashable {
  public let certificate: ConfiguredFile
  public let key: ConfiguredFile
}
