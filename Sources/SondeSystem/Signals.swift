import Dispatch
import Glibc

/// Receives signals such as `SIGINT` instead of their default action, from this call on.
///
/// Of unread ones, only the newest is kept. After the stream is released, they are ignored.
public func signals(_ numbers: Int32...) -> AsyncStream<Int32> {
  let (stream, continuation) =
    AsyncStream.makeStream(of: Int32.self, bufferingPolicy: .bufferingNewest(1))
  // Never changed; Dispatch sources may be cancelled from any thread.
  nonisolated(unsafe) let sources = numbers.map { number in
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number)
    let isReady = DispatchSemaphore(value: 0)
    source.setRegistrationHandler { isReady.signal() }
    source.setEventHandler { continuation.yield(number) }
    source.resume()
    // Before that, a signal would be lost.
    isReady.wait()
    return source
  }
  continuation.onTermination = { _ in for source in unsafe sources { source.cancel() } }
  return stream
}
