import Glibc
import SondeSystem

/// Reads the sorted records of a run, from memory or a file.
final class RunReader {
  private static let sliceSize = 64 << 10

  private let file: Descriptor?
  private var offset: off_t = 0
  /// The bytes that ``record`` and its parts refer to.
  private(set) var buffer: [UInt8]
  /// The current record, behind its length; empty before the first and after the last.
  private(set) var record = 0..<0
  private(set) var key = RecordKey()
  private(set) var isAtEnd = false

  /// Creates a reader of packed records in memory.
  init(_ bytes: [UInt8]) { (file, buffer) = (nil, bytes) }

  /// Creates a reader of a whole file.
  init(_ file: Descriptor) { (self.file, buffer) = (file, []) }

  /// The current record with its length.
  var packed: ArraySlice<UInt8> {
    buffer[record.lowerBound - PackedRecord.lengthSize..<record.upperBound]
  }

  /// Moves to the next record.
  func advance() throws(SystemError) {
    guard try fill(PackedRecord.lengthSize) else {
      (record, isAtEnd) = (0..<0, true)
      return
    }
    let length = PackedRecord.length(in: buffer, at: record.upperBound)
    guard try fill(PackedRecord.lengthSize + length) else { throw SystemError(EIO) }
    let start = record.upperBound + PackedRecord.lengthSize
    record = start..<start + length
    key = PackedRecord.key(in: buffer, at: start)
  }

  /// Reads until so many bytes are behind the record; returns whether there are so many.
  private func fill(_ count: Int) throws(SystemError) -> Bool {
    guard buffer.count - record.upperBound < count else { return true }
    guard let file else { return false }
    buffer.removeFirst(record.upperBound)
    record = 0..<0
    while buffer.count < count {
      let size = max(Self.sliceSize, count - buffer.count)
      var result = 0
      let bytes = unsafe [UInt8](unsafeUninitializedCapacity: size) { space, done in
        repeat {
          result = unsafe pread(file.number, space.baseAddress, size, offset)
        } while result < 0 && errno == EINTR
        done = max(0, result)
      }
      guard result >= 0 else { throw SystemError() }
      guard !bytes.isEmpty else {
        if buffer.isEmpty { return false }
        throw SystemError(EIO)
      }
      offset += off_t(bytes.count)
      buffer += bytes
    }
    return true
  }

  /// Whether the current record comes before that of another reader.
  func isBefore(_ other: RunReader) -> Bool {
    guard key == other.key else { return RecordKey.isBefore(key, other.key) }
    return PackedRecord.isBefore(buffer, tie, other.buffer, other.tie)
  }

  /// The bytes that decide between records with equal keys.
  var tie: Range<Int> { PackedRecord.tie(in: buffer, at: record.lowerBound) }
}

/// Reads the records of several runs in order; of equal ones, those of the earlier run first.
final class RunMerge {
  private var readers: [RunReader]
  private var least = 0

  /// Creates a merge of runs, the earliest first.
  init(_ readers: [RunReader]) throws(SystemError) {
    for reader in readers { try reader.advance() }
    self.readers = readers.filter { !$0.isAtEnd }
    findLeast()
  }

  /// The reader of the current record; `nil` at the end.
  var current: RunReader? { readers.isEmpty ? nil : readers[least] }

  func advance() throws(SystemError) {
    try readers[least].advance()
    if readers[least].isAtEnd { readers.remove(at: least) }
    findLeast()
  }

  private func findLeast() {
    least = 0
    for index in readers.indices.dropFirst() where readers[index].isBefore(readers[least]) {
      least = index
    }
  }
}
