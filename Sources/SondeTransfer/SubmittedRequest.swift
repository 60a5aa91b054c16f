import Synchronization

/// A request with exactly one outcome: the first of the loop's result and a cancellation.
final class SubmittedRequest: Sendable {
  typealias Continuation = CheckedContinuation<Response, any Error>

  private enum State {
    case new
    case waiting(Continuation)
    case finished
  }

  let request: Request
  let endpoint: Endpoint
  let headerLines: [String]
  private let state = Mutex(State.new)

  init(request: Request, endpoint: Endpoint) {
    (self.request, self.endpoint) = (request, endpoint)
    headerLines = request.headerLines
  }

  var isFinished: Bool { state.withLock { if case .finished = $0 { true } else { false } } }

  /// Sets the continuation to resume, at once after a cancellation; false if it is not to be sent.
  func begin(_ continuation: Continuation) -> Bool {
    let begins = state.withLock { state in
      guard case .new = state else { return false }
      state = .waiting(continuation)
      return true
    }
    if !begins { continuation.resume(throwing: CancellationError()) }
    return begins
  }

  /// Sets the outcome; only the first call counts.
  func finish(_ result: sending Result<Response, any Error>) {
    let previous = state.withLock { state in
      defer { state = .finished }
      return state
    }
    guard case .waiting(let continuation) = previous else { return }
    continuation.resume(with: result)
  }

  /// Sets an error as the outcome.
  func fail(_ reason: TransferError.Reason, in phase: TransferError.Phase = .preparing) {
    finish(.failure(error(reason, phase: phase)))
  }

  /// An error about this exchange's endpoint, or about the proxy if connecting to that failed.
  func error(
    _ reason: TransferError.Reason,
    phase: TransferError.Phase,
    through proxy: Proxy? = nil
  ) -> TransferError {
    if let proxy, phase == .resolving || phase == .connecting {
      return TransferError(reason, phase: phase, host: proxy.host, port: proxy.port)
    }
    return TransferError(reason, phase: phase, host: endpoint.host, port: endpoint.port)
  }
}
