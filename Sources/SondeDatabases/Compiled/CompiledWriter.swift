import Glibc

/// Writes a compiled file sequentially, and finally its header.
struct CompiledWriter {
  private(set) var offset: Int

  private let descriptor: Int32
  private var buffer: [UInt8] = []
  private static let bufferSize = 1 << 20

  init(descriptor: Int32, at offset: Int) { (self.descriptor, self.offset) = (descriptor, offset) }

  /// Appends values in native byte order.
  mutating func append<Value: BitwiseCopyable>(_ values: [Value]) throws(CompiledDatabaseError) {
    unsafe values.withUnsafeBytes { unsafe buffer.append(contentsOf: $0) }
    offset += values.count * MemoryLayout<Value>.stride
    if buffer.count >= Self.bufferSize { try flush() }
  }

  /// Appends zeros up to an offset.
  mutating func align(to offset: Int) throws(CompiledDatabaseError) {
    try append([UInt8](repeating: 0, count: offset - self.offset))
  }

  /// Writes the header with the checksums of all groups, after everything else is on disk.
  mutating func end(_ header: CompiledHeader) throws(CompiledDatabaseError) {
    try flush()
    guard let mapping = TableMapping(descriptor: descriptor, size: header.layout.size) else {
      throw .unwritable(errno: errno)
    }
    var header = header
    for group in header.sums.indices {
      let sum = mapping.sum(
        ofGroup: group % CompiledLayout.groups,
        in: header.layout,
        isIPv6: group >= CompiledLayout.groups
      )
      guard let sum else { throw .tooLarge }
      header.sums[group] = sum
    }
    guard let bytes = header.bytes else { throw .tooLarge }
    guard fdatasync(descriptor) == 0 else { throw .unwritable(errno: errno) }
    try write(bytes, at: 0)
    guard fsync(descriptor) == 0 else { throw .unwritable(errno: errno) }
  }

  private mutating func flush() throws(CompiledDatabaseError) {
    try write(buffer, at: offset - buffer.count)
    buffer.removeAll(keepingCapacity: true)
  }

  private func write(_ bytes: [UInt8], at start: Int) throws(CompiledDatabaseError) {
    var written = 0
    while written < bytes.count {
      let count = unsafe bytes.withUnsafeBytes {
        unsafe pwrite(
          descriptor,
          $0.baseAddress.map { unsafe $0 + written },
          bytes.count - written,
          off_t(start + written)
        )
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .unwritable(errno: errno) }
      written += count
    }
  }
}
