/// A source of entries; used by one thread at a time.
package protocol EntrySource: AnyObject {
  typealias Step = EntryReader.Step

  /// Ends all waits, from any thread.
  var cancel: @Sendable () -> Void { get }

  /// Waits for the next entries until a deadline; throws `CancellationError` if interrupted.
  func next(limit: Int, deadline: ContinuousClock.Instant?) throws(CancellationError) -> Step

  /// The next bytes that belong to no entry; `nil` if there are no more.
  func rest() -> [UInt8]?

  /// Whether the input has been read to its end.
  var isWhole: Bool { get }
}

extension EntrySource {
  /// `nil`: all bytes become entries.
  package func rest() -> [UInt8]? { nil }

  /// False: not needed by default.
  package var isWhole: Bool { false }
}
