public import Records

/// Answers found, and which of the addresses asked for each answers.
public struct CachedAnswers: Sendable {
  /// The records found: `isCached` is set, and `fetchedAt` is when the provider answered.
  public var block = RecordBlock()

  /// For each record the index of the address it answers, in ascending order.
  public var positions: [Int] = []

  /// Finds nothing.
  public init() {}
}

/// Where a listing of the cache goes on.
public struct CacheCursor: Sendable, Hashable {
  /// The chunk of answers.
  let chunk: Int64

  /// The first answer of it that has not been listed.
  let position: Int
}

/// Some answers of the cache, the older ones first.
public struct CachePage: Sendable {
  /// The records: `isCached` is set, and `fetchedAt` is when the provider answered.
  public var block = RecordBlock()

  /// For each record, what its answer is an answer to.
  public var scopes: [AnswerScope] = []

  /// Where to go on; `nil` at the end.
  public var next: CacheCursor?

  /// Lists nothing.
  public init() {}
}

/// How much the cache holds.
public struct CacheStatistics: Sendable, Equatable {
  /// Addresses with an answer, of whatever age, counted once for each scope.
  public var answers = 0

  /// Bytes on disk: the database, what is not yet written back to it, and the index of that.
  public var bytes = 0

  /// When the oldest answer was given, in seconds since 1970 UTC; `nil` without any.
  public var oldest: Int64?

  /// When the newest answer was given, in seconds since 1970 UTC; `nil` without any.
  public var newest: Int64?

  /// Describes an empty cache.
  public init() {}
}
