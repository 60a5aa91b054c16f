import SondeAddresses
import SondeSystem
import Synchronization

/// The requests of other threads to a resolver's thread, and all that they share with it.
final class ResolverInbox: Sendable {
  /// Receives the finding about the resolver.
  typealias Asker = CheckedContinuation<ResolverFinding, Never>

  /// The input since it was last taken.
  struct Work: Sendable {
    var batches: [NameBatch] = []
    var askers: [Asker] = []
    /// The reason why all earlier batches are to end.
    var abandonment: (reason: String, batches: [NameBatch])?
    /// Whether to send no more questions.
    var stops = false
  }

  private struct State {
    var work = Work()
    var isClosed = false
  }

  /// Rung when there is input.
  let bell: WakePipe
  private let state = Mutex(State())

  /// Fails if no file can be opened.
  init() throws(SystemError) { bell = try WakePipe() }

  func submit(_ batch: NameBatch) { post { $0.work.batches.append(batch) } }

  func submit(_ asker: Asker) { post { $0.work.askers.append(asker) } }

  func abandonAll(_ reason: String) {
    post { state in
      let earlier = state.work.abandonment?.batches ?? []
      state.work.abandonment = (reason, earlier + state.work.batches)
      state.work.batches = []
    }
  }

  func stop() { post { $0.work.stops = true } }

  func close() { post { $0.isClosed = true } }

  private func post(_ change: (inout State) -> Void) {
    state.withLock { change(&$0) }
    bell.ring()
  }

  /// Takes the pending input; `nil` once the resolver is released.
  func take() -> Work? {
    state.withLock { state in
      defer { state.work = Work() }
      return state.isClosed ? nil : state.work
    }
  }
}

/// Addresses that were requested together, with their results.
final class NameBatch: Sendable {
  private struct State {
    var results: [HostNames?]
    var left: Int
    var continuation: CheckedContinuation<[HostNames], any Error>?
    var isEnded = false
  }

  let addresses: [Address]
  let subject: NameSubject
  private let note: @Sendable (Int, HostNames) -> Void
  private let state: Mutex<State>

  init(
    _ addresses: [Address],
    _ subject: NameSubject,
    noting note: @escaping @Sendable (Int, HostNames) -> Void
  ) {
    (self.addresses, self.subject, self.note) = (addresses, subject, note)
    state = Mutex(
      State(results: Array(repeating: nil, count: addresses.count), left: addresses.count)
    )
  }

  /// Whether nobody waits for it.
  var isEnded: Bool { state.withLock(\.isEnded) }

  /// Sets the continuation to resume; returns whether the batch was not cancelled before.
  func begin(_ continuation: CheckedContinuation<[HostNames], any Error>) -> Bool {
    let isCancelled = state.withLock { state in
      if !state.isEnded { state.continuation = continuation }
      return state.isEnded
    }
    if isCancelled { continuation.resume(throwing: CancellationError()) }
    return !isCancelled
  }

  /// Sets a result; the last one resumes the caller.
  func settle(_ index: Int, _ names: HostNames) {
    note(index, names)
    let finished = state.withLock { state in
      guard !state.isEnded, state.results[index] == nil else { return nil as State? }
      state.results[index] = names
      state.left -= 1
      guard state.left == 0 else { return nil }
      defer { (state.isEnded, state.results, state.continuation) = (true, [], nil) }
      return state
    }
    guard let finished else { return }
    finished.continuation?.resume(returning: finished.results.compactMap(\.self))
  }

  func cancel() {
    let continuation = state.withLock { state in
      defer { (state.isEnded, state.results, state.continuation) = (true, [], nil) }
      return state.continuation
    }
    continuation?.resume(throwing: CancellationError())
  }
}
