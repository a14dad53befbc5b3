import Glibc

@testable import Network

/// SIGUSR1 for this process.
func raiseUserSignal() { kill(getpid(), SIGUSR1) }

/// Sends a FIN and goes on reading, which `ByteStream` has no word for.
@LoopActor func finishSending(on connection: TCPConnection) { shutdown(connection.fileDescriptor, Int32(SHUT_WR)) }
