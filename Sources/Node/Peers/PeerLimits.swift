import Endpoints
import HTTP
import Network
import Primitives

/// What peers may cost each other. Both ends of a link have the same.
struct PeerLimits: Sendable {
  /// A peer that has not answered a greeting or a renewal for so long is lost; so is one to which no connection could be made.
  var answer = Duration.seconds(1)
  /// Phone requests and SIP requests under way to one peer; waiting status requests are most of them.
  var underWay = 2000
  /// A connection from a peer on which nothing comes for so long is ended: greetings come twice a second.
  var silence = Duration.seconds(10)

  /// Nodes that are greeted.
  static let peers = 64

  /// Greetings always find a stream, however many requests wait.
  private var streams: Int { underWay + 100 }

  var server: HTTPServerLimits {
    var limits = HTTPServerLimits()
    limits.http.body = Self.body
    limits.http.streams = streams
    // Phones that go away reset their streams: all of them at once where a node that they came to stops.
    limits.http.idleFrameBurst = streams * 2
    limits.http.idleFramesPerSecond = streams
    limits.listener.connections = Self.peers * 4
    limits.listener.stream.handshake = .seconds(3)
    limits.listener.stream.queuedBytes = Self.queuedBytes
    limits.silence = silence
    return limits
  }

  var client: HTTPClientLimits {
    var limits = HTTPClientLimits()
    limits.http.body = Self.body
    limits.http.streams = streams
    limits.queued = streams
    limits.connectTime = answer
    return limits
  }

  /// A phone's body or a SIP message, each at most 64 KiB, with what is around it.
  private static let body = 160 * 1024
  private static let queuedBytes = 8 << 20
}
