/// Where entries come from; one thread at a time uses it.
package protocol EntrySource: AnyObject {
  /// Ends every wait, from any thread.
  var cancel: @Sendable () -> Void { get }

  /// Waits for the next entries.
  ///
  /// - Parameters:
  ///   - limit: The most of them.
  ///   - deadline: When waiting ends; `nil` is never.
  /// - Returns: Entries, or why there are none.
  /// - Throws: `CancellationError` when the wait was ended.
  func next(
    limit: Int,
    deadline: ContinuousClock.Instant?
  ) throws(CancellationError) -> EntryReader.Step

  /// The next bytes that no entry has come from; `nil` where there are no more to be had.
  func rest() -> [UInt8]?

  /// Whether the input has been read to its end.
  var isWhole: Bool { get }
}

extension EntrySource {
  /// All bytes become entries.
  package func rest() -> [UInt8]? { nil }

  /// Nobody asks.
  package var isWhole: Bool { false }
}
