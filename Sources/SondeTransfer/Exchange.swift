import Synchronization

/// One request, which gets exactly one outcome: that of the loop or of a cancellation, whichever is first.
final class Exchange: Sendable {
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
    self.request = request
    self.endpoint = endpoint
    headerLines = request.headerLines
  }

  /// Whether the outcome is known already.
  var isFinished: Bool {
    state.withLock {
      guard case .finished = $0 else { return false }
      return true
    }
  }

  /// Takes the one who waits; a cancellation that came before answers at once.
  /// - Returns: Whether there is something left to do.
  func begin(_ continuation: Continuation) -> Bool {
    let begins = state.withLock { state in
      guard case .new = state else { return false }
      state = .waiting(continuation)
      return true
    }
    if !begins { continuation.resume(throwing: CancellationError()) }
    return begins
  }

  /// Brings the outcome; all but the first are ignored.
  func finish(_ result: sending Result<Response, any Error>) {
    let previous = state.withLock { state in
      defer { state = .finished }
      return state
    }
    guard case .waiting(let continuation) = previous else { return }
    continuation.resume(with: result)
  }

  /// An error about this exchange's endpoint, or about the proxy where no connection to that came
  /// about.
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
