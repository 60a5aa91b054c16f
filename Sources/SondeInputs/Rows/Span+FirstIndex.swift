#if arch(x86_64)
  public import CSondeByteMasks
#endif

extension Span<UInt8> {
  /// The first position of either of two bytes at or after an offset, or the end.
  @inlinable @inline(__always)
  package func firstIndex(of first: UInt8, or second: UInt8, from offset: Int) -> Int {
    var position = offset
    #if arch(x86_64)
      let bytes = unsafe self.bytes
      while position &+ 16 <= count {
        let marks = unsafe sonde_find_either(
          bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: position, as: SIMD16<UInt8>.self),
          first,
          second
        )
        if marks != 0 { return position &+ marks.trailingZeroBitCount }
        position &+= 16
      }
    #endif
    while position < count, self[position] != first, self[position] != second { position &+= 1 }
    return position
  }
}
