import Cryptography

extension PeerCertificates {
  /// What a peer would find wrong with the certificate, apart from its time: a handshake with itself, in memory.
  func problem(as name: String) -> TLSError? {
    let (server, client) = (TLSSession(server, role: .server), TLSSession(client, role: .client(ServerIdentity(host: name))))
    do throws(TLSError) {
      for _ in 0..<Self.flights {
        _ = try server.receive(client.pendingCiphertext())
        _ = try client.receive(server.pendingCiphertext())
      }
      return nil
    } catch .certificate(.expired), .certificate(.notYetValid) {
      // It is said to whoever asks before the start; until it is renewed, the node does what it can without its peers.
      return nil
    } catch {
      return error
    }
  }

  /// More than a handshake of TLS 1.3 has from each side (RFC 8446 §2).
  private static let flights = 3
}
