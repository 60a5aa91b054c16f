import Glibc

/// A thread for blocking calls.
///
/// It blocks signals, so that other threads receive them; as SIGPIPE is blocked, too, writing to a
/// closed connection only causes an error. Threads that it starts inherit this.
public struct Thread: Sendable {
  private let thread: pthread_t

  /// Runs a body on a new thread, for which ``join()`` or ``detach()`` must be called.
  ///
  /// Throws ``SystemError`` if no thread can be started; then the body does not run.
  public init(_ body: sending @escaping () -> Void) throws(SystemError) {
    let box = unsafe Unmanaged.passRetained(ThreadBody(run: body))
    var thread = pthread_t()
    let code = unsafe pthread_create(&thread, nil, runBody, box.toOpaque())
    guard code == 0 else {
      unsafe box.release()
      throw SystemError(code)
    }
    self.thread = thread
  }

  /// Waits until the body has returned.
  public func join() { pthread_join(thread, nil) }

  /// Lets the thread clean up after itself when it ends.
  public func detach() { pthread_detach(thread) }

  /// Starts threads that do nothing, all at once, and ends them; throws if there are too many.
  public static func rehearse(_ count: Int) throws(SystemError) {
    let end = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
    defer { unsafe end.deallocate() }
    unsafe sem_init(end, 0, 0)
    defer { unsafe sem_destroy(end) }
    var threads: [pthread_t] = []
    defer {
      for _ in threads { unsafe sem_post(end) }
      for thread in threads { pthread_join(thread, nil) }
    }
    for _ in 0..<count {
      var thread = pthread_t()
      let code = unsafe pthread_create(&thread, nil, awaitEnd, end)
      guard code == 0 else { throw SystemError(code) }
      threads.append(thread)
    }
  }
}

/// Waits for a semaphore without allocating, since malloc would create an arena for the thread.
private func awaitEnd(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let end = unsafe context?.assumingMemoryBound(to: sem_t.self) else { return nil }
  while unsafe sem_wait(end) != 0, errno == EINTR {}
  return nil
}

/// Retained by the thread's creator, released by the thread.
private final class ThreadBody {
  let run: () -> Void
  init(run: @escaping () -> Void) { self.run = run }
}

private func runBody(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  var signals = sigset_t()
  unsafe sigfillset(&signals)
  unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
  guard let context = unsafe context else { return nil }
  unsafe Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().run()
  return nil
}
