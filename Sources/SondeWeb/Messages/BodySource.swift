/// The source of a request's body.
protocol BodySource: Sendable {
  /// The announced length; `nil` if there is none.
  var announced: Int? { get }

  /// The next bytes; `nil` at the end. Only one task at a time may wait.
  ///
  /// - Throws: ``BodyError`` with `cut`.
  func next() async throws(BodyError) -> [UInt8]?
}

/// The reason why a request's body was not accepted.
public enum BodyError: Error, Sendable, Equatable {
  /// The client disconnected, or was too slow.
  case cut
  /// The body exceeds a limit in bytes.
  case tooLong(limit: Int)
  /// The body could not be written, by the number of errno(3); often `ENOSPC`.
  case unwritable(Int32)
  /// The sender's session has ended.
  case unauthorized
}

extension BodyError {
  var problem: Problem {
    switch self {
    case .cut: .malformed("the body was cut")
    case .tooLong(let limit): .tooLarge("at most \(limit) bytes")
    case .unwritable: .disk("the body could not be stored")
    case .unauthorized: .unauthorized
    }
  }
}

/// A request's body as a sequence of chunks.
public struct BodyChunks: AsyncSequence, Sendable {
  let source: any BodySource
  let limit: Int

  /// Creates the iterator, once only.
  public func makeAsyncIterator() -> Iterator { Iterator(source: source, limit: limit) }

  /// Iterates over a body.
  public struct Iterator: AsyncIteratorProtocol {
    let source: any BodySource
    let limit: Int
    private var count = 0

    init(source: any BodySource, limit: Int) { (self.source, self.limit) = (source, limit) }

    /// The next bytes, none empty; `nil` at the end.
    /// - Throws: ``BodyError``.
    public mutating func next() async throws(BodyError) -> [UInt8]? {
      if let announced = source.announced, announced > limit { throw .tooLong(limit: limit) }
      guard let chunk = try await source.next() else { return nil }
      count += chunk.count
      if count > limit { throw .tooLong(limit: limit) }
      return chunk
    }

    /// The next bytes, none empty; `nil` at the end.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(BodyError) -> [UInt8]? {
      try await next()
    }
  }
}
