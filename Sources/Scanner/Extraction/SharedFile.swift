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

  private let descriptor: Int32
  private let start: Int
  private let size: Int
  private let partSize: Int

  /// Takes over a descriptor.
  ///
  /// - Parameters:
  ///   - name: The file's name.
  ///   - descriptor: The open file; it is closed with this object.
  ///   - start: The offset of the first byte to read.
  ///   - size: The size of the file when it was opened.
  ///   - partSize: The bytes of a part.
  init(
    name: String,
    descriptor: Int32,
    start: Int,
    size: Int,
    partSize: Int = SharedFile.partSize
  ) {
    (self.name, self.descriptor) = (name, descriptor)
    (self.start, self.size, self.partSize) = (start, size, partSize)
  }

  deinit { Glibc.close(descriptor) }

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
      Self.hasBecomeShorter(descriptor, than: size)
    {
      part.failure = .becameShorter(name)
    }
    guard part.failure != nil else { return LogCut(offset: read.count, isClean: true) }
    return LogCut.lastClean(in: text)
  }

  /// Whether a file is shorter than it was; those of /sys never have had the size they tell.
  static func hasBecomeShorter(_ descriptor: Int32, than size: Int) -> Bool {
    var status = stat()
    return unsafe fstat(descriptor, &status) == 0 && Int(status.st_size) < size
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
          descriptor,
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
        return (filled, InputFailure(name: name, reason: "\(SystemError())"))
      }
    }
    return (filled, nil)
  }

  /// Leaves the descriptor, which others may share, where reading would have left it.
  func finish() {
    _ = lseek(descriptor, max(start, size), SEEK_SET)
  }
}
