internal import Synchronization

/// Sends elements to any number of streams.
public final class Broadcast<Element: Sendable>: Sendable {
  private struct State {
    var lastID = 0
    var streams: [Int: AsyncStream<Element>.Continuation] = [:]
    var isClosed = false
  }

  private let state = Mutex(State())

  /// Creates a broadcast without streams.
  public init() {}

  /// The elements sent from now on, until the reading task is cancelled or the broadcast is closed.
  ///
  /// - Parameters:
  ///   - limit: The most elements kept for a slow reader; the oldest are dropped.
  ///   - first: An element that precedes them.
  /// - Returns: The stream.
  public func stream(limit: Int, beginningWith first: Element? = nil) -> AsyncStream<Element> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Element.self,
      bufferingPolicy: .bufferingNewest(limit)
    )
    if let first { continuation.yield(first) }
    let id: Int? = state.withLock { state in
      guard !state.isClosed else { return nil }
      state.lastID += 1
      state.streams[state.lastID] = continuation
      return state.lastID
    }
    guard let id else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { _ = $0.streams.removeValue(forKey: id) }
    }
    return stream
  }

  /// Sends an element to all streams, in the order in which they were made; runs no reader, so a lock
  /// may be held.
  public func send(_ element: Element) {
    let streams = state.withLock { $0.streams.sorted { $0.key < $1.key } }
    for (_, stream) in streams { stream.yield(element) }
  }

  /// Ends all streams.
  public func close() {
    let streams = state.withLock { state in
      state.isClosed = true
      defer { state.streams = [:] }
      return Array(state.streams.values)
    }
    for stream in streams { stream.finish() }
  }
}
