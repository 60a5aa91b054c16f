public import SondeAddresses
public import SondeRecords

/// A store for the answers of earlier runs.
///
/// No method fails: unreadable data counts as missing, and data that cannot be written is dropped.
public protocol AnswerStore: AnyObject, Sendable {
  /// Looks up addresses.
  ///
  /// - Parameters:
  ///   - addresses: The addresses, possibly with duplicates.
  ///   - scope: The scope that would be requested.
  ///   - age: The age from which an answer is too old; `nil` for never.
  /// - Returns: The answers found; the youngest of several that are sufficient.
  func lookUp(
    _ addresses: [Address],
    in scope: AnswerScope,
    youngerThan age: Duration?
  ) async -> KnownAnswers

  /// Whether another process may have changed the store since a view was taken.
  ///
  /// - Returns: `false` also if it cannot be read.
  func hasChanged(since view: StoreView) async -> Bool

  /// Saves the `ok` and `unknown` records of a block, and ignores others.
  ///
  /// Returns when they are saved, or cannot be.
  /// - Parameters:
  ///   - answers: The records.
  ///   - scope: The scope of the request.
  func save(_ answers: RecordBlock, in scope: AnswerScope) async

  /// Lists answers of any age in order of arrival; of each source only the newest for an address.
  ///
  /// - Parameters:
  ///   - cursor: The start; `nil` for the beginning.
  ///   - limit: The largest number; there may be fewer even if more follow.
  /// - Returns: The answers and the start of the next page; `nil` if the store cannot be read, or
  ///   was replaced since.
  func page(after cursor: CacheCursor?, limit: Int) async -> CachePage?

  /// Lists answers of any age, the latest first; of each source only the newest for an address.
  ///
  /// - Parameters:
  ///   - row: The row before which to start; `nil` for the latest.
  ///   - limit: The largest number; there may be fewer even if more follow.
  /// - Returns: The answers, and the row to continue before if there may be more; `nil` if the
  ///   store cannot be read.
  func page(before row: Int?, limit: Int) async -> (answers: CachePage, next: Int?)?

  /// Lists the answers about some addresses, of any age, the newest of each source; `nil` if the
  /// store cannot be read.
  func entries(of addresses: [Address]) async -> CachePage?

  /// Counts the stored answers; `nil` if the store cannot be read.
  func statistics() async -> CacheStatistics?

  /// Removes all answers about some addresses, in all scopes.
  ///
  /// - Returns: The number of addresses that had one; `nil` if the store cannot be changed.
  func delete(_ addresses: [Address]) async -> Int?

  /// Removes all answers.
  ///
  /// - Returns: Whether it succeeded.
  @discardableResult
  func clear() async -> Bool

  /// Closes the store within a second.
  func close() async
}
