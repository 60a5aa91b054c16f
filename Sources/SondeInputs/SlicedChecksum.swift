package import SondeSystem

/// A checksum of an input that several threads can compute by slices.
///
/// It is the checksum of the slices' checksums.
package struct SlicedChecksum: Sendable, Equatable {
  /// The size of each slice except the last.
  package static let sliceSize = 1 << 20

  private var slices = Checksum()
  private var last = Checksum()

  /// The number of bytes so far.
  package private(set) var count: UInt64 = 0

  package init() {}

  /// The checksum of all bytes so far; 0 if there are none.
  package var value: UInt64 {
    guard last.count > 0 else { return slices.value }
    var sum = slices
    sum.update(word: last.value)
    return sum.value
  }

  /// Adds bytes.
  package mutating func update(_ bytes: Span<UInt8>) {
    var start = 0
    while start < bytes.count {
      let end = min(bytes.count, start + Self.sliceSize - Int(clamping: last.count))
      unsafe last.update(bytes.extracting(start..<end).bytes)
      count += UInt64(end - start)
      if last.count == UInt64(Self.sliceSize) { finishSlice() }
      start = end
    }
  }

  /// Adds a slice; all preceding ones must be complete.
  package mutating func append(_ slice: Checksum) {
    count += slice.count
    last = slice
    if last.count == UInt64(Self.sliceSize) { finishSlice() }
  }

  private mutating func finishSlice() {
    slices.update(word: last.value)
    last = Checksum()
  }
}
