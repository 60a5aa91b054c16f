/// A slice of a text, which a thread has filled by a ``SliceSource`` and searches.
///
/// Its rooms are used again for the next slice, so that reading and searching allocate nothing.
package protocol SearchedSlice {
  /// Makes one with nothing in it.
  init()

  /// Finds what is to be found in it.
  mutating func search()

  /// Whether it is not empty and ends within a line.
  var endsInLine: Bool { get }
}

/// Hands texts out in slices, to several threads that search them.
package protocol SliceSource<Slice>: Sendable {
  associatedtype Slice: SearchedSlice

  /// Waits for the next slice.
  ///
  /// - Parameter slice: Where its text is put.
  /// - Returns: What it is; `nil` when there is no more.
  /// - Throws: `CancellationError` after ``cancel()``.
  func next(into slice: inout Slice) throws(CancellationError) -> LogSource.Step?

  /// Ends every wait for input.
  func cancel()

  /// How many steps there were.
  var count: Int { get }
}
