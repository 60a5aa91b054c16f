/// Where the body of a request comes from.
protocol BodySource: Sendable {
  /// How long it says that it is; `nil` where it does not say.
  var announced: Int? { get }

  /// The next bytes; `nil` at the end. One task at a time may wait.
  ///
  /// - Throws: ``BodyError`` with `cut`.
  func next() async throws(BodyError) -> [UInt8]?
}

/// Why the body of a request could not be taken.
public enum BodyError: Error, Sendable, Equatable {
  /// The client left, or was too slow.
  case cut
  /// It is longer than may be, in bytes.
  case tooLong(limit: Int)
  /// The system does not take it, by the number of errno(3); often `ENOSPC`.
  case unwritable(Int32)
  /// The session of who sends it has ended.
  case unauthorized
}

extension BodyError {
  /// As an answer.
  var problem: Problem {
    switch self {
    case .cut: .malformed("the body was cut")
    case .tooLong(let limit): .tooLarge("at most \(limit) bytes")
    case .unwritable: .disk("the body could not be stored")
    case .unauthorized: .unauthorized
    }
  }
}

/// A request's body, chunk by chunk.
public struct BodyChunks: AsyncSequence, Sendable {
  let source: any BodySource
  let limit: Int

  /// Makes what reads it, once.
  public func makeAsyncIterator() -> Iterator { Iterator(source: source, limit: limit) }

  /// Reads a body.
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
    /// - Throws: ``BodyError``.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(BodyError) -> [UInt8]? {
      try await next()
    }
  }
}
