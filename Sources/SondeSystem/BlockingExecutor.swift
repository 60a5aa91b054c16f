import Dispatch
import Synchronization

/// Runs an actor's jobs on a separate thread, so that a call that blocks there (`read`, `write`,
/// `poll`) never holds a thread of the shared pool.
public final class BlockingExecutor: SerialExecutor {
  private let jobs = JobQueue()

  /// Makes an executor.
  /// - Parameter label: The name of the queue that is used where no thread can be started.
  public init(label: String) {
    // Always the same thread, and so the same arena of malloc: tables that grow on one thread and
    // then on another would leave holes in the arenas of both.
    do {
      try Thread { [jobs] in jobs.run() }.detach()
    } catch {
      DispatchQueue(label: label).async { [jobs] in jobs.run() }
    }
  }

  deinit { jobs.close() }

  /// Runs a job on the thread.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.append { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}

/// Jobs that wait for the thread that runs them, first come first served.
private final class JobQueue: Sendable {
  typealias Job = @Sendable () -> Void

  private struct State {
    var jobs: [Job] = []
    var isClosed = false
  }

  private let state = Mutex(State())
  private let arrivals = DispatchSemaphore(value: 0)

  func append(_ job: @escaping Job) {
    state.withLock { $0.jobs.append(job) }
    arrivals.signal()
  }

  /// Lets ``run()`` return.
  func close() {
    state.withLock { $0.isClosed = true }
    arrivals.signal()
  }

  /// Runs every job that comes until the queue is closed.
  func run() {
    while true {
      arrivals.wait()
      let (jobs, isClosed) = state.withLock { state in
        defer { state.jobs = [] }
        return (state.jobs, state.isClosed)
      }
      for job in jobs { job() }
      if isClosed { return }
    }
  }
}
