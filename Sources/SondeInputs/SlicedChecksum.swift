package import SondeSystem

/// A checksum of an input's bytes that several threads can reckon together, each of slices.
///
/// It is the checksum of the checksums of its slices.
package struct SlicedChecksum: Sendable, Equatable {
  /// The bytes of each slice but the last.
  package static let sliceSize = 1 << 20

  private var slices = Checksum()
  private var last = Checksum()

  /// The bytes taken so far.
  package private(set) var count: UInt64 = 0

  /// Makes the checksum of nothing.
  package init() {}

  /// The checksum of all bytes taken so far; 0 where there were none.
  package var value: UInt64 {
    guard last.count > 0 else { return slices.value }
    var sum = slices
    sum.update(word: last.value)
    return sum.value
  }

  /// Takes bytes.
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

  /// Takes a slice, behind whole ones only.
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
