import Dispatch
import Synchronization

/// Runs an actor's jobs on a separate thread, so that blocking calls (`read`, `write`, `poll`)
/// never occupy a thread of the shared pool.
public final class BlockingExecutor: SerialExecutor {
  private let jobs = JobQueue()

  /// Creates an executor; the label names the queue that is used if no thread can be started.
  public init(label: String) {
    // Always the same thread, and so the same malloc arena: tables that grow on several threads
    // would leave holes in several arenas.
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

/// Jobs waiting for their thread, in order of arrival.
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

  func close() {
    state.withLock { $0.isClosed = true }
    arrivals.signal()
  }

  /// Runs all jobs until the queue is closed.
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
