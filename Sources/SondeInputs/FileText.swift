import Glibc
import SondeSystem

/// The text of a range of a regular file on disk.
///
/// It is not memory-mapped, so truncation only ends it earlier.
package final class FileText: ByteSource {
  private let file: OpenFile
  private let name: String
  private var position: Int
  private let start: Int
  /// The end of the range, if it is before the end of the file.
  private let end: Int?
  /// The size of the file when it was opened.
  private let size: Int

  /// The bytes that have been read.
  package var taken: UInt64 { UInt64(max(0, position - start)) }

  /// Whether bytes remained to be read when the file was opened.
  package var hasMore: Bool { position < (end ?? size) }

  /// Creates a source of the lines that start in `range`; `nil` for all.
  package init(_ file: OpenFile, name: String, range: Range<Int>?) {
    (self.file, self.name) = (file, name)
    size = Int(clamping: file.size ?? 0)
    (start, end) = file.bounds(of: range)
    position = start
  }

  package func read(into buffer: inout [UInt8], atMost count: Int, _ wait: ByteWait) -> Fill {
    let wanted = min(count, max(0, (end ?? .max) - position))
    guard wanted > 0 else { return .end }
    var result = 0
    buffer.append(addingCapacity: wanted) { output in
      unsafe output.withUnsafeMutableBufferPointer { room, filled in
        unsafe result = pread(file.descriptor, room.baseAddress, wanted, position)
        filled = max(0, result)
      }
    }
    let code = errno
    if result > 0 {
      position += result
      return .more
    }
    guard result == 0 else {
      return code == EINTR ? .more : .failure(InputError(name: name, SystemError(code)))
    }
    // Sets the offset of the descriptor, which may be shared, to the end of the read text.
    _ = lseek(file.descriptor, max(position, size), SEEK_SET)
    let isCutShort = position < min(size, end ?? .max) && file.hasBecomeShorter(than: size)
    return isCutShort ? .failure(.becameShorter(name)) : .end
  }
}
