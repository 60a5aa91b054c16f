import Glibc

/// A read-only mapping of a compiled file.
///
/// These files are only replaced by renaming and removed by unlinking, neither of which affects a
/// mapping.
@safe final class TableMapping: Sendable {
  // Never written after init; the mapping is read-only.
  private nonisolated(unsafe) let base: UnsafeRawPointer

  /// The size of the file in bytes.
  let size: Int

  /// Maps the first `size` bytes; `nil` if that fails.
  init?(descriptor: Int32, size: Int) {
    let mapped = unsafe mmap(nil, size, PROT_READ, MAP_SHARED, descriptor, 0)
    guard size > 0, let mapped = unsafe mapped, unsafe mapped != MAP_FAILED else { return nil }
    unsafe base = UnsafeRawPointer(mapped)
    self.size = size
  }

  deinit { unsafe munmap(UnsafeMutableRawPointer(mutating: base), size) }

  /// The bytes at an offset; empty if they are out of bounds.
  @inline(__always)
  func bytes(at offset: Int, count: Int) -> UnsafeRawBufferPointer {
    guard offset >= 0, count >= 0, offset <= size &- count else {
      return unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    }
    return unsafe UnsafeRawBufferPointer(start: base + offset, count: count)
  }

  /// The values of one type at an aligned offset; empty if they are out of bounds.
  @inline(__always)
  func values<Value: BitwiseCopyable>(
    _ type: Value.Type,
    at offset: Int,
    count: Int
  ) -> UnsafeBufferPointer<Value> {
    unsafe bytes(at: offset, count: count &* MemoryLayout<Value>.stride).bindMemory(to: type)
  }
}
