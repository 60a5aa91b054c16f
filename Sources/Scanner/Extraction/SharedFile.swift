import Addresses
import Glibc
import System

/// A regular file that several threads read at once, each a part of its own.
///
/// It is read, never mapped: one that is cut off meanwhile just ends earlier.
final class SharedFile: Sendable {
  /// What a part of the file holds.
  struct Part {
    var piece: LogPiece
    /// Whether the file ends here; parts behind this one are to be dropped.
    var isLast = false
    /// Why it does not end where it should.
    var failure: InputFailure?
  }

  /// The bytes of a part as a rule.
  static let partSize = 1 << 20

  /// The file's name, for messages.
  let name: String

  private let file: OpenFile
  private let start: Int
  private let size: Int
  private let partSize: Int

  /// Makes one of an open file.
  ///
  /// - Parameters:
  ///   - name: The file's name.
  ///   - file: The file.
  ///   - start: The offset of the first byte to read, if not where the descriptor was.
  ///   - size: The size that it had when it was opened, if not the one it tells.
  ///   - partSize: The bytes of a part.
  init(
    name: String,
    _ file: OpenFile,
    start: Int? = nil,
    size: Int? = nil,
    partSize: Int = SharedFile.partSize
  ) {
    (self.name, self.file, self.partSize) = (name, file, partSize)
    self.start = start ?? file.start
    self.size = size ?? Int(clamping: file.size ?? 0)
  }

  /// Reads a part.
  ///
  /// It begins and ends at a ``LogCut``, which this part and its neighbours find alike, as each
  /// reads a little beyond both.
  /// - Parameters:
  ///   - index: The part's number, from 0.
  ///   - buffer: Room that an earlier part has left; it goes into this one.
  /// - Returns: The part, empty where all of its text belongs to others.
  func part(_ index: Int, reusing buffer: inout [UInt8]) -> Part {
    var bytes: [UInt8] = []
    swap(&bytes, &buffer)
    let before = min(index * partSize, LogCut.reach)
    let (first, next) = (before, before + partSize)
    let offset = start + index * partSize - before
    let wanted = next + LogCut.reach
    if bytes.count < wanted { bytes = [UInt8](repeating: 0, count: wanted + LogCut.reach) }
    let read = read(at: offset, into: &bytes, count: wanted)
    let text = bytes.span.extracting(0..<read.count)
    let begin = read.count > first ? LogCut.first(in: text, at: first) : nil
    let end = read.count > next ? LogCut.first(in: text, at: next) : nil
    var part = Part(piece: LogPiece(count: read.count, start: begin?.offset ?? read.count))
    part.piece.cut = end ?? endFile(with: &part, read, at: offset, text)
    part.piece.bytes = bytes
    return part
  }

  /// Ends the file with a part, at the end of the text.
  ///
  /// A file that has become shorter was cut anywhere, an address perhaps, which would be another
  /// one.
  private func endFile(
    with part: inout Part,
    _ read: (count: Int, failure: InputFailure?),
    at offset: Int,
    _ text: Span<UInt8>
  ) -> LogCut {
    part.isLast = true
    part.failure = read.failure
    if part.failure == nil, offset + read.count < size,
      file.hasBecomeShorter(than: size)
    {
      part.failure = .becameShorter(name)
    }
    guard part.failure != nil else { return LogCut(offset: read.count, isClean: true) }
    return LogCut.lastClean(in: text)
  }

  private func read(
    at offset: Int,
    into buffer: inout [UInt8],
    count: Int
  ) -> (count: Int, failure: InputFailure?) {
    var filled = 0
    while filled < count {
      let result = unsafe buffer.withUnsafeMutableBytes { bytes in
        unsafe pread(
          file.descriptor,
          bytes.baseAddress.map { unsafe $0 + filled },
          count - filled,
          offset + filled
        )
      }
      if result > 0 {
        filled += result
      } else if result == 0 {
        break
      } else if errno != EINTR {
        return (filled, InputFailure(name: name, SystemError()))
      }
    }
    return (filled, nil)
  }

  /// Leaves the descriptor, which others may share, where reading would have left it.
  func finish() {
    _ = lseek(file.descriptor, max(start, size), SEEK_SET)
  }
}
