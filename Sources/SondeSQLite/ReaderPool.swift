import SondeSystem
import Synchronization

/// The threads that read databases: eight at once, two of them for one user.
///
/// Of those who wait, the user who was served longest ago is next.
package final class ReaderPool: Sendable {
  fileprivate static let threads = 8
  fileprivate static let threadsOfUser = 2

  /// A thread of the pool.
  fileprivate actor Reader {
    private let executor = BlockingExecutor(label: "sonde.readers")

    nonisolated var unownedExecutor: UnownedSerialExecutor {
      unsafe executor.asUnownedSerialExecutor()
    }

    func run<Result: Sendable>(_ body: @Sendable () throws -> Result) throws -> Result {
      try body()
    }
  }

  fileprivate struct Waiting {
    let id: Int
    let user: String
    let admission: CheckedContinuation<Reader?, Never>
  }

  fileprivate struct State {
    var free: [Reader] = []
    var started = 0
    /// The number of threads that each user has, for those who have any.
    var busy: [String: Int] = [:]
    /// When each user was served last, for those who are served or wait.
    var turns: [String: Int] = [:]
    var turn = 0
    var waiting: [Waiting] = []
    var lastID = 0
    /// Those whose task ended before they began to wait.
    var gone: Set<Int> = []
  }

  private let state = Mutex(State())

  /// Creates a pool without threads, which start when they are needed.
  package init() {}

  /// Runs a body on a thread when it is the user's turn.
  ///
  /// Once the task is cancelled, the stop is requested, which the body must heed.
  /// - Throws: The body's error; `CancellationError` if the task was cancelled.
  package func run<Result: Sendable>(
    for user: String,
    _ body: @Sendable (StopRequest) throws -> Result
  ) async throws -> Result {
    let stop = StopRequest()
    let reader = try await admitted(user)
    defer { release(reader, user) }
    return try await withTaskCancellationHandler {
      do {
        return try await reader.run { try body(stop) }
      } catch {
        throw stop.isMade ? CancellationError() : error
      }
    } onCancel: {
      stop.make()
    }
  }

  /// Whether a user would have all threads of a user at once.
  package func isFree(for user: String) -> Bool {
    state.withLock { state in
      let free = Self.threads - state.started + state.free.count
      return state.waiting.isEmpty && state.busy[user] == nil && free >= Self.threadsOfUser
    }
  }

  private func admitted(_ user: String) async throws(CancellationError) -> Reader {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    let reader = await withTaskCancellationHandler {
      await withCheckedContinuation { admission in
        let isGone = state.withLock { state in
          if state.gone.remove(id) != nil { return true }
          state.waiting.append(Waiting(id: id, user: user, admission: admission))
          return false
        }
        if isGone { admission.resume(returning: nil) } else { admit() }
      }
    } onCancel: {
      leave(id)
    }
    state.withLock { _ = $0.gone.remove(id) }
    guard let reader else { throw CancellationError() }
    return reader
  }

  private func leave(_ id: Int) {
    let left = state.withLock { state -> Waiting? in
      guard let index = state.waiting.firstIndex(where: { $0.id == id }) else {
        state.gone.insert(id)
        return nil
      }
      return state.waiting.remove(at: index)
    }
    left?.admission.resume(returning: nil)
  }

  private func release(_ reader: Reader, _ user: String) {
    state.withLock { state in
      state.free.append(reader)
      state.busy[user] = state.busy[user].flatMap { $0 > 1 ? $0 - 1 : nil }
    }
    admit()
  }

  /// Gives free threads to those who are next.
  private func admit() {
    while let (next, reader) = state.withLock({ $0.next() }) {
      next.admission.resume(returning: reader)
    }
  }
}

extension ReaderPool.State {
  /// Takes the next of those who wait, and a thread; `nil` if nobody can be served.
  fileprivate mutating func next() -> (ReaderPool.Waiting, ReaderPool.Reader)? {
    let isFree = !free.isEmpty || started < ReaderPool.threads
    let candidates = waiting.indices.filter {
      busy[waiting[$0].user] ?? 0 < ReaderPool.threadsOfUser
    }
    let index = candidates.min {
      let (one, other) = (waiting[$0], waiting[$1])
      return (turns[one.user] ?? 0, one.id) < (turns[other.user] ?? 0, other.id)
    }
    guard isFree, let index else { return nil }
    let next = waiting.remove(at: index)
    if free.isEmpty { started += 1 }
    let reader = free.popLast() ?? ReaderPool.Reader()
    busy[next.user, default: 0] += 1
    turn += 1
    turns[next.user] = turn
    let present = Set(waiting.map(\.user)).union(busy.keys)
    turns = turns.filter { present.contains($0.key) }
    return (next, reader)
  }
}
