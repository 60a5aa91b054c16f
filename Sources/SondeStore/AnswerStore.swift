public import SondeAddresses
public import SondeRecords

/// Where the answers of earlier runs are kept.
///
/// Nothing here fails: what cannot be read counts as absent, and what cannot be written is given up.
public protocol AnswerStore: AnyObject, Sendable {
  /// Looks addresses up.
  ///
  /// - Parameters:
  ///   - addresses: The addresses, of which any may come twice.
  ///   - scope: What would be asked.
  ///   - age: The age at which an answer is too old; `nil` for never.
  /// - Returns: The answers found; of several that hold at least what would be asked, the youngest.
  func lookUp(
    _ addresses: [Address],
    in scope: AnswerScope,
    youngerThan age: Duration?
  ) async -> KnownAnswers

  /// Whether another process may have changed the store since it held this.
  ///
  /// - Returns: `false` also where it cannot be read.
  func hasChanged(since view: StoreView) async -> Bool

  /// Saves the `ok` and `unknown` records of a block; others are left out.
  ///
  /// Returns when they are kept, or cannot be.
  /// - Parameters:
  ///   - answers: The records.
  ///   - scope: What was asked.
  func save(_ answers: RecordBlock, in scope: AnswerScope) async

  /// Lists answers of whatever age, in the order in which they came: of each source the newest to an
  /// address.
  ///
  /// - Parameters:
  ///   - cursor: Where to begin; `nil` at the beginning.
  ///   - limit: How many at most; there may be fewer although there are more to come.
  /// - Returns: The answers, and where the next page begins; `nil` when the store cannot be read, or
  ///   another one has replaced it since.
  func page(after cursor: CacheCursor?, limit: Int) async -> CachePage?

  /// Lists answers of whatever age, those that came last first: of each source the newest to an address.
  ///
  /// - Parameters:
  ///   - row: Those that came before this one; `nil` for the last ones.
  ///   - limit: How many at most; there may be fewer although there are more to come.
  /// - Returns: The answers, and the row to resume before, where there may be more; `nil` when the
  ///   store cannot be read.
  func page(before row: Int?, limit: Int) async -> (answers: CachePage, next: Int?)?

  /// Lists what is known of some addresses, of whatever age: of each source the newest; `nil` when the
  /// store cannot be read.
  func entries(of addresses: [Address]) async -> CachePage?

  /// Counts what there is; `nil` when the store cannot be read.
  func statistics() async -> CacheStatistics?

  /// Removes all answers of some addresses, in every scope.
  ///
  /// - Returns: How many of the addresses had one; `nil` when the store cannot be changed.
  func delete(_ addresses: [Address]) async -> Int?

  /// Removes all answers.
  ///
  /// - Returns: Whether that could be done.
  @discardableResult
  func clear() async -> Bool

  /// Ends the use of the store, within a second.
  func close() async
}
