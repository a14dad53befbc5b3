import Network
import Node
import PhoneKit
import Primitives

/// The phone that the arguments name, connected to its server for as long as one command takes.
struct PhoneSession: Sendable {
  private let phone: Phone
  private let server: String
  private let trustedPEM: Bytes?
  private let address: SocketAddress?

  init(_ arguments: Arguments, makesKeys: Bool) throws {
    server = arguments[.server] ?? "https://localhost:8443"
    trustedPEM = try arguments[.ca].map(InputFile.read)
    address = try arguments.address(.address)
    phone = try KeysFile(path: arguments[.keys] ?? "").phone(making: makesKeys ? arguments.keyKind() : nil)
  }

  /// What the server refuses or the network does not do is told in one line.
  @LoopActor func run(_ body: @LoopActor (PhoneClient) async throws -> ExitStatus) async throws -> ExitStatus {
    do {
      let client = try PhoneClient(phone: phone, server: server, trustedPEM: trustedPEM, address: address)
      defer { client.close() }
      return try await body(client)
    } catch let error as PhoneError {
      Terminal.complain(error.description)
      return error.exitStatus
    }
  }
}

extension PhoneError {
  var exitStatus: ExitStatus {
    switch self {
    case .transport: .unavailable
    case .unusableServer: .usage
    case .unusableKeys: .input
    case .problem, .unexpected, .unusableReply, .unusableAnnouncement, .noCommonDigest, .noCommonMedia: .failed
    }
  }
}
