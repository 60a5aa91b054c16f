import Glibc

extension Span<UInt8> {
  /// The first position of a byte in a range; `nil` if it is not there.
  package func position(of byte: UInt8, from start: Int, to end: Int) -> Int? {
    unsafe withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress, start < end else { return nil }
      guard let found = unsafe memchr(base + start, Int32(byte), end - start) else { return nil }
      return unsafe UnsafeRawPointer(found) - UnsafeRawPointer(base)
    }
  }
}
