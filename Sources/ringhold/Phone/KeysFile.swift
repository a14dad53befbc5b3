import Cryptography
import Glibc
import Node
import PhoneKit
import Primitives

/// The file with the keys of one phone: a line of base64 below lines that say what it is. Only its owner may read it.
struct KeysFile {
  let path: String

  /// The phone of the file. Where there is no file yet and `kind` is given, a new one.
  func phone(making kind: Phone.KeyKind?) throws -> Phone {
    do {
      let text = try FileContents.read(path)
      try refuseForeignEyes()
      return try read(text)
    } catch FileContents.Failure.missing {
      guard let kind else { throw InputError("\(path): there is no such file; 'ringhold phone setup' makes the keys of a new phone") }
      return try make(kind)
    } catch let failure as FileContents.Failure {
      throw InputError("\(path): \(failure.text)")
    }
  }

  private func read(_ text: Bytes) throws(InputError) -> Phone {
    let lines = text.split(separator: UInt8(ascii: "\n")).filter { $0.first != UInt8(ascii: "#") }
    guard lines.count == 1, let exported = Base64.standard.decode(lines[0]), let phone = try? Phone(exported: exported) else {
      throw InputError("\(path): these are no keys of a phone")
    }
    return phone
  }

  private func refuseForeignEyes() throws(InputError) {
    var status = stat()
    guard unsafe stat(path, &status) == 0, status.st_mode & (S_IRWXG | S_IRWXO) != 0 else { return }
    throw InputError("\(path): others than its owner have access to these secret keys; 'chmod 600 \(path)' takes it away")
  }

  private func make(_ kind: Phone.KeyKind) throws -> Phone {
    let phone = try Phone.generate(kind)
    let text = """
      # The secret keys of one phone on one account, made by 'ringhold phone'.
      # Whoever has them is this phone: treat them as a private key.
      \(Base64.standard.encode(phone.exported))

      """
    try SecretFile.make(path, Array(text.utf8))
    return phone
  }
}

/// A file that only its owner may read, from its first byte on.
enum SecretFile {
  /// Never replaces one that is there.
  static func make(_ path: String, _ contents: Bytes) throws(InputError) {
    let file = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw InputError("\(path): it cannot be made: \(errno == EEXIST ? "it is there" : SystemError.text(errno))") }
    defer { close(file) }
    let written = unsafe contents.withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) }
    guard written == contents.count, fsync(file) == 0 else {
      unsafe unlink(path)
      throw InputError("\(path): it cannot be written")
    }
  }
}

enum SystemError {
  /// What the system calls an error.
  static func text(_ number: Int32) -> String { unsafe String(cString: strerror(number)) }
}
