import Dispatch

/// Runs an actor's jobs on a thread of their own, so that a call that blocks there (`read`, `write`,
/// `poll`) never holds a thread of the shared pool.
public final class BlockingExecutor: SerialExecutor {
  private let queue: DispatchQueue

  /// Makes an executor.
  /// - Parameter label: The name of the queue in a debugger.
  public init(label: String) {
    queue = DispatchQueue(label: label)
  }

  /// Runs a job on the thread.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
