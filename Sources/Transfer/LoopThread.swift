import Glibc

/// The thread that a ``TransferLoop`` runs on.
struct LoopThread: Sendable {
  private let thread: pthread_t

  /// Starts the thread.
  /// - Throws: ``TransferError`` when there is no thread or no loop to be had.
  init(inbox: Inbox, configuration: HTTPClient.Configuration) throws(TransferError) {
    let loop = try TransferLoop(inbox: inbox, configuration: configuration)
    // Retained here, released by the thread: from now on the loop is the thread's alone.
    let context = unsafe Unmanaged.passRetained(loop)
    var thread = pthread_t()
    let code = unsafe pthread_create(&thread, nil, runLoop, context.toOpaque())
    guard code == 0 else {
      unsafe context.release()
      throw TransferError(.misconfigured("no thread could be started"))
    }
    self.thread = thread
  }

  /// Waits until the loop has ended.
  func join() { pthread_join(thread, nil) }
}

private func runLoop(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  // Signals are for the program's own threads; and with SIGPIPE blocked, writing to a closed TLS
  // connection is an error of that connection only. libcurl's resolver threads inherit this.
  var signals = sigset_t()
  unsafe sigfillset(&signals)
  unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
  guard let context = unsafe context else { return nil }
  unsafe Unmanaged<TransferLoop>.fromOpaque(context).takeRetainedValue().run()
  return nil
}
