import Core
import Endpoints

extension PeerFailure {
  init(_ error: HTTPClientError) {
    self =
      switch error {
      case .notProcessed: .notProcessed
      case .unknown(.connectionLost): .gone
      case .unknown: .unknown
      }
  }
}
