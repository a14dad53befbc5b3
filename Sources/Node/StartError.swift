import Cryptography
import Network
import Primitives

/// Why a node does not start, in one line.
public struct StartError: Error, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }

  /// Names the key of the configuration that the failure is about, and the file and its place where there is one.
  static func explaining<Value, Failure: Error>(
    _ key: String, of file: ConfiguredFile? = nil, _ make: () throws(Failure) -> Value
  ) throws(StartError) -> Value {
    do {
      return try make()
    } catch {
      let subject = file.map { "\($0.place.text): \($0.path.quotedForError)" } ?? key
      throw StartError("\(subject): \(words(for: error))")
    }
  }

  private static func words(for error: any Error) -> String {
    switch error {
    case TLSError.unusableCertificate: "no certificate in PEM"
    case TLSError.unusableKey: "no private key in PEM"
    case TLSError.keyOfAnotherCertificate: "the key is not the certificate's"
    case TLSError.unusableTrust: "no certificates in PEM"
    case KeyError.unusablePEM, KeyError.unsupportedKind: "no private key on P-256 in PEM"
    case NetworkError.addressInUse: "the address is in use"
    case NetworkError.addressNotAvailable: "this machine has no such address"
    case NetworkError.notPermitted: "this user may not listen there"
    default: "\(error)"
    }
  }
}

extension ConfiguredFile {
  func contents() throws(StartError) -> Bytes {
    do {
      return try read()
    } catch {
      throw StartError(error.description)
    }
  }
}

extension Trust {
  var file: ConfiguredFile? { if case .file(let file) = self { file } else { nil } }

  func contents() throws(StartError) -> TLSContext.Trust {
    guard let file else { return .system }
    return .pem(try file.contents())
  }
}
