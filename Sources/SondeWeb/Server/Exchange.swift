internal import Synchronization

/// A request and its answer.
///
/// It connects libmicrohttpd, whose thread calls ``advance(upload:)`` whenever progress is
/// possible, to the task that runs the handler.
final class Exchange: Sendable {
  /// The next step of libmicrohttpd after a call.
  enum Step {
    /// Continue, with this many bytes of the body accepted.
    case proceed(taken: Int)
    case answer(Response)
    case close
  }

  private enum Stage {
    /// The header is complete, and the body was not requested yet.
    case head
    case body
    /// The request is complete.
    case whole
  }

  private struct State {
    var stage = Stage.head
    var upload = Upload()
    var answer: Response?
    var isAnswered = false
    var isSuspended = false
    var isBodyWanted = false
    /// Whether the server is stopping and will not wait.
    var isAbandoned = false
    /// Whether libmicrohttpd has finished with it.
    var isOver = false
    var reader: CheckedContinuation<Void, Never>?
    var task: Task<Void, Never>?
    var channel: ByteChannel?

    mutating func takeReader() -> CheckedContinuation<Void, Never>? {
      defer { reader = nil }
      return reader
    }
  }

  private let state = Mutex(State())
  private let connection: Connection
  private let handle: ConnectionHandle
  private let framing: Framing
  private let onlyReads: Bool
  private let work: @Sendable (Exchange) async -> Void

  /// The work runs the handler and calls ``deliver(_:)``.
  init(
    _ connection: Connection,
    _ handle: ConnectionHandle,
    framing: Framing,
    onlyReads: Bool = false,
    work: @escaping @Sendable (Exchange) async -> Void
  ) {
    (self.connection, self.handle) = (connection, handle)
    (self.framing, self.onlyReads, self.work) = (framing, onlyReads, work)
  }

  /// The number of bytes received, while the client is expected to send more of the body.
  var bodyProgress: Int? {
    state.withLock { state in
      state.stage == .body && !state.isSuspended && !state.isOver ? state.upload.received : nil
    }
  }

  // MARK: On libmicrohttpd's thread

  /// Starts the handler, unless it waits for a short body.
  func begin() { if !framing.isAwaited { start() } }

  /// Continues after data was received or the connection resumed.
  ///
  /// The upload is `nil` if there are no bytes of the body, and at its end.
  func advance(upload: UnsafeRawBufferPointer?) -> Step {
    if let upload = unsafe upload { return unsafe receive(upload) }
    let (step, reader, starts) = state.withLock {
      state -> (Step, CheckedContinuation<Void, Never>?, Bool) in
      if state.isAbandoned { return (.close, nil, false) }
      if state.stage == .head { return (leaveHead(&state), nil, false) }
      let isEnd = state.stage == .body
      if isEnd {
        state.stage = .whole
        state.upload.finish()
      }
      let starts = isEnd && framing.isAwaited && state.answer == nil
      return (answerOrSuspend(&state), state.takeReader(), starts)
    }
    reader?.resume()
    if starts { start() }
    return step
  }

  /// Handles the state before the body, which is read unless there is an answer already, or the
  /// handler must request it first.
  ///
  /// Without a body, libmicrohttpd calls again at once; it closes connections that are answered
  /// earlier.
  private func leaveHead(_ state: inout State) -> Step {
    if state.answer != nil, framing.hasBody, !framing.isDiscarded { return answerOrSuspend(&state) }
    if framing.hasBody, !framing.isAwaited, !state.isBodyWanted, state.answer == nil {
      suspend(&state)
    } else {
      state.stage = .body
    }
    return .proceed(taken: 0)
  }

  private func answerOrSuspend(_ state: inout State) -> Step {
    if let answer = state.answer, !state.isAnswered {
      state.isAnswered = true
      return .answer(answer)
    }
    suspend(&state)
    return .proceed(taken: 0)
  }

  private func receive(_ bytes: UnsafeRawBufferPointer) -> Step {
    let (step, reader) = state.withLock { state -> (Step, CheckedContinuation<Void, Never>?) in
      if state.isAbandoned { return (.close, nil) }
      if state.answer != nil {
        state.upload.discard(bytes.count)
        let isBearable = state.upload.received <= Framing.longestDiscarded
        return (isBearable ? .proceed(taken: bytes.count) : .close, nil)
      }
      let taken = unsafe state.upload.append(bytes)
      if taken < bytes.count { suspend(&state) }
      return (.proceed(taken: taken), state.takeReader())
    }
    reader?.resume()
    return step
  }

  private func suspend(_ state: inout State) {
    handle.suspend()
    state.isSuspended = true
  }

  /// Called when libmicrohttpd has finished with the request: the answer is sent, or the connection
  /// is closed.
  func complete() { end { $0.isOver = true } }

  private func end(_ change: (inout State) -> Void) {
    let (reader, task, channel) = state.withLock { state in
      state.upload.cut()
      change(&state)
      return (state.takeReader(), state.task, state.channel)
    }
    reader?.resume()
    task?.cancel()
    channel?.close()
  }

  // MARK: On the handler's task

  private func start() {
    let task = Task { await work(self) }
    state.withLock { state in
      state.task = task
      if state.isAbandoned || state.isOver { task.cancel() }
    }
  }

  func deliver(_ response: Response) {
    var channel: ByteChannel?
    if case .channel(let body) = response.body { channel = body }
    channel?.attach(connection)
    let isTaken = state.withLock { state in
      guard state.answer == nil, !state.isOver, !state.isAbandoned else { return false }
      (state.answer, state.channel) = (response, channel)
      wake(&state)
      return true
    }
    if !isTaken { channel?.close() }
  }

  private func wake(_ state: inout State) {
    guard state.isSuspended else { return }
    state.isSuspended = false
    handle.resume()
  }

  /// Cancels the handler of a request that only reads, since its client has left.
  func clientLeft() {
    guard onlyReads else { return }
    state.withLock { $0.stage == .whole ? $0.task : nil }?.cancel()
  }

  /// Ends the exchange without waiting: the connection is closed.
  func abandon() {
    end { state in
      state.isAbandoned = true
      wake(&state)
    }
  }

  var channel: ByteChannel? { state.withLock { $0.channel } }
}

extension Exchange: BodySource {
  var announced: Int? { framing.length }

  func next() async throws(BodyError) -> [UInt8]? {
    while true {
      switch take() {
      case .bytes(let bytes): return bytes
      case .end: return nil
      case .cut: throw .cut
      case nil: await waitForBody()
      }
    }
  }

  private func take() -> Upload.Reading? {
    state.withLock { state in
      state.isBodyWanted = true
      let reading = framing.hasBody ? state.upload.next() : .end
      // There is space again, or the client may be asked to send.
      if state.stage != .whole { wake(&state) }
      return reading
    }
  }

  private func waitForBody() async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.upload.waiting > 0 || state.upload.isWhole || state.upload.isCut { return true }
        state.reader = continuation
        return false
      }
      if isThere { continuation.resume() }
    }
  }
}
