import HTTP
import Network

/// Where the answer to a request goes, once.
typealias HTTPAnswer = @LoopActor (HTTPResponse) -> Void
