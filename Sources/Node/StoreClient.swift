import Network
import Primitives
import Store

/// The way to the store. The embedded one answers at once; another one would answer later, so whoever asks waits in any case.
@LoopActor
protocol StoreClient: AnyObject {
  func perform(_ command: StoreCommand, _ completion: @escaping @LoopActor (StoreReply) -> Void)
}

/// The store of a single node: in this process's memory.
@LoopActor
final class EmbeddedStore: StoreClient {
  private var store = MemoryStore()

  func perform(_ command: StoreCommand, _ completion: @escaping @LoopActor (StoreReply) -> Void) {
    completion(store.perform(command, now: Loop.now()))
  }
}
