internal import CLibUV
internal import Glibc
internal import Synchronization

/// Runs jobs on the loop's thread. A job that is enqueued there goes to a plain queue that is drained once per turn; one from
/// another thread is handed over under a lock and wakes the loop.
///
/// `nonisolated(unsafe)`: what is marked so is written in `init`, before the thread starts, or touched by the loop's thread only.
@safe
final class LoopExecutor: SerialExecutor {
  enum Work {
    case job(UnownedJob)
    case body(@LoopActor () -> Void)
  }

  nonisolated(unsafe) let loop = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
  nonisolated(unsafe) let buffers = ReceiveBuffers()
  nonisolated(unsafe) private let wakeUp = UnsafeMutablePointer<uv_async_t>.allocate(capacity: 1)
  nonisolated(unsafe) private let beforePoll = UnsafeMutablePointer<uv_prepare_t>.allocate(capacity: 1)
  nonisolated(unsafe) private let noWait = UnsafeMutablePointer<uv_idle_t>.allocate(capacity: 1)
  nonisolated(unsafe) private var queue: [Work] = []
  private let handedOver = Mutex<[UnownedJob]>([])
  private let thread = Atomic<UInt>(0)

  init() {
    // A peer that went away is an error code of the write, not the end of the process.
    signal(SIGPIPE, SIG_IGN)
    let started =
      unsafe uv_loop_init(loop) == 0
      && uv_async_init(loop, wakeUp) { _ in LoopActor.shared.executor.takeHandedOver() } == 0
      && uv_prepare_init(loop, beforePoll) == 0 && uv_idle_init(loop, noWait) == 0
      && uv_prepare_start(beforePoll) { _ in LoopActor.shared.executor.drain() } == 0
    precondition(started, "the system gives no event loop: out of file descriptors or memory")
    startThread()
  }

  private func startThread() {
    var id = pthread_t()
    let status = unsafe pthread_create(
      &id, nil,
      { context in
        guard let context = unsafe context else { return nil }
        unsafe Unmanaged<LoopExecutor>.fromOpaque(context).takeUnretainedValue().run()
        return nil
      }, Unmanaged.passRetained(self).toOpaque())
    precondition(status == 0, "the system gives no thread")
    pthread_detach(id)
  }

  private func run() {
    thread.store(UInt(pthread_self()), ordering: .releasing)
    _ = unsafe uv_run(loop, UV_RUN_DEFAULT)
  }

  var isOnLoop: Bool { thread.load(ordering: .acquiring) == UInt(pthread_self()) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if isOnLoop {
      unsafe queue.append(.job(job))
    } else {
      handedOver.withLock { $0.append(job) }
      _ = unsafe uv_async_send(wakeUp)
    }
  }

  /// `body` runs in this turn's drain or the next one's. Only from the loop's thread.
  func soon(_ body: @escaping @LoopActor () -> Void) { unsafe queue.append(.body(body)) }

  func isIsolatingCurrentContext() -> Bool? { isOnLoop }

  func checkIsolated() { precondition(isOnLoop, "not on the loop's thread") }

  private func takeHandedOver() {
    handedOver.withLock { jobs in
      for job in jobs { unsafe queue.append(.job(job)) }
      jobs.removeAll(keepingCapacity: true)
    }
  }

  /// What is enqueued while it runs waits for the next turn, so that sockets and timers get theirs in between.
  private func drain() {
    var batch: [Work] = []
    unsafe swap(&batch, &queue)
    for work in batch {
      switch work {
      case .job(let job): unsafe job.runSynchronously(on: asUnownedSerialExecutor())
      case .body(let body): LoopActor.assumeIsolated { body() }
      }
    }
    // An idle handle that is active makes the poll return at once.
    if unsafe queue.isEmpty {
      _ = unsafe uv_idle_stop(noWait)
    } else {
      _ = unsafe uv_idle_start(noWait) { _ in }
    }
  }
}
