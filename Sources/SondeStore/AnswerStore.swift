public import SondeAddresses
public import SondeRecords

/// A store for the answers of earlier runs.
///
/// No method fails: unreadable data counts as missing, and data that cannot be written is dropped.
public protocol AnswerStore: AnyObject, Sendable {
  /// Finds the youngest sufficient answer for each address; without `age`, one of any age.
  func lookUp(
    _ addresses: [Address],
    in scope: AnswerScope,
    youngerThan age: Duration?
  ) async -> KnownAnswers

  /// Whether another process may have changed the store since a view was taken; `false` also if it
  /// cannot be read.
  func hasChanged(since view: StoreView) async -> Bool

  /// Saves the `ok` and `unknown` records of a block, and ignores others; returns when they are
  /// saved, or cannot be.
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

  /// Removes all answers about some addresses, in all scopes; returns the number of addresses that
  /// had one, or `nil` if the store cannot be changed.
  func delete(_ addresses: [Address]) async -> Int?

  /// Removes the answers that were fetched longer ago, and overwrites them; returns their number, or
  /// `nil` if the store cannot be changed.
  @discardableResult
  func delete(olderThan age: Duration) async -> Int?

  /// Removes all answers; returns whether it succeeded.
  @discardableResult
  func clear() async -> Bool

  /// Closes the store within a second.
  func close() async
}
