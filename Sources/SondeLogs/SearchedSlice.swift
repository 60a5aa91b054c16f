/// A slice of a text, filled by a ``SliceSource`` and searched by a thread.
///
/// Its buffers are reused for the next slice, so that reading and searching allocate nothing.
package protocol SearchedSlice {
  init()

  mutating func search()

  /// Whether it is not empty and ends within a line.
  var endsInLine: Bool { get }
}

/// Delivers texts in slices to several search threads.
package protocol SliceSource<Slice>: Sendable {
  associatedtype Slice: SearchedSlice

  /// Waits for the next slice, and puts its text into `slice`; returns `nil` at the end.
  ///
  /// Throws `CancellationError` after ``cancel()``.
  func next(into slice: inout Slice) throws(CancellationError) -> LogSource.Step?

  /// Ends all waits for input.
  func cancel()

  /// The number of steps so far.
  var count: Int { get }
}
