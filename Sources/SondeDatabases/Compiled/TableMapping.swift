import Glibc

/// A table file in memory, read-only.
///
/// Our own files are only ever replaced by renaming and taken away by unlinking, both of which leave
/// a mapping as it is.
@safe
final class TableMapping: Sendable {
  // Never written after init, nor can it be: it is mapped for reading.
  private nonisolated(unsafe) let base: UnsafeRawPointer

  /// The bytes of the file.
  let size: Int

  /// Maps the first `size` bytes; `nil` where that cannot be done.
  init?(descriptor: Int32, size: Int) {
    let mapped = unsafe mmap(nil, size, PROT_READ, MAP_SHARED, descriptor, 0)
    guard size > 0, let mapped = unsafe mapped, unsafe mapped != MAP_FAILED else { return nil }
    unsafe base = UnsafeRawPointer(mapped)
    self.size = size
  }

  deinit { unsafe munmap(UnsafeMutableRawPointer(mutating: base), size) }

  /// The bytes from an offset on; none where they are not all in the file.
  @inline(__always)
  func bytes(at offset: Int, count: Int) -> UnsafeRawBufferPointer {
    guard offset >= 0, count >= 0, offset <= size &- count else {
      return unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    }
    return unsafe UnsafeRawBufferPointer(start: base + offset, count: count)
  }

  /// The values of one type from an aligned offset on; none where they are not all in the file.
  @inline(__always)
  func values<Value: BitwiseCopyable>(
    _ type: Value.Type,
    at offset: Int,
    count: Int
  ) -> UnsafeBufferPointer<Value> {
    unsafe bytes(at: offset, count: count &* MemoryLayout<Value>.stride).bindMemory(to: type)
  }
}
