import Glibc
import SondeAddresses
import SondeInputs
import SondeSystem

/// A regular file of text that several threads read at once, each a slice of its own.
///
/// It is read, never mapped: one that is cut off meanwhile just ends earlier.
final class FileSlices: Sendable {
  /// What reading a slice tells besides its text.
  struct Reading {
    /// Whether the file ends here; slices behind this one are to be dropped.
    var isLast = false
    /// Why it does not end where it should.
    var failure: InputError?
    /// The file's own bytes of this slice.
    var own: Range<Int>
  }

  /// The bytes of a slice as a rule.
  static let sliceSize = SlicedChecksum.sliceSize

  /// The file's name, for messages.
  let name: String

  private let file: OpenFile
  private let start: Int
  /// Where to stop although the file goes on.
  private let end: Int?
  /// The size of the file when it was opened.
  private let size: Int
  private let sliceSize: Int

  /// Makes one of an open file.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - name: Its name.
  ///   - range: The bytes of which the lines that begin there are read; all where it is `nil`.
  ///   - size: The size that the file had when it was opened, if not the one it tells.
  ///   - sliceSize: The bytes of a slice.
  init(
    _ file: OpenFile,
    name: String,
    range: Range<Int>? = nil,
    size: Int? = nil,
    sliceSize: Int = FileSlices.sliceSize
  ) {
    (self.file, self.name, self.sliceSize) = (file, name, sliceSize)
    self.size = size ?? Int(clamping: file.size ?? 0)
    (start, end) = file.bounds(of: range)
  }

  /// Reads a slice.
  ///
  /// It begins and ends at a ``LogCut``, which this slice and its neighbours find alike, as each
  /// reads a little beyond both.
  /// - Parameters:
  ///   - index: The slice's number, from 0.
  ///   - slice: Where it is put; empty where all of its text belongs to others.
  /// - Returns: What else there is to tell.
  func read(_ index: Int, into slice: inout LogSlice) -> Reading {
    let before = min(index * sliceSize, LogCut.reach)
    let (first, next) = (before, before + sliceSize)
    let offset = start + index * sliceSize - before
    let wanted = min(next + LogCut.reach, max(0, (end ?? .max) - offset))
    let room = next + 2 * LogCut.reach
    slice.base = offset
    if slice.bytes.count < room {
      // As it comes, for only what is read is looked at: a small file then costs no more pages than
      // it has.
      slice.bytes = unsafe [UInt8](unsafeUninitializedCapacity: room) { $1 = room }
    }
    let failure = read(at: offset, into: &slice, count: wanted)
    var reading = Reading(failure: failure, own: min(first, slice.count)..<min(next, slice.count))
    let (begin, cut) = (slice.firstCut(at: first), slice.firstCut(at: next))
    slice.start = begin?.offset ?? slice.count
    slice.cut = cut ?? finish(&reading, at: offset + slice.count, slice)
    return reading
  }

  /// Ends the file with a slice, at the end of the text.
  ///
  /// A file that has become shorter was cut anywhere, an address perhaps, which would be another
  /// one.
  private func finish(_ reading: inout Reading, at offset: Int, _ slice: LogSlice) -> LogCut {
    reading.isLast = true
    if reading.failure == nil, offset < min(size, end ?? .max),
      file.hasBecomeShorter(than: size)
    {
      reading.failure = .becameShorter(name)
    }
    guard reading.failure != nil else { return LogCut(offset: slice.count, isClean: true) }
    return LogCut.lastClean(in: slice.bytes.span.extracting(0..<slice.count))
  }

  private func read(at offset: Int, into slice: inout LogSlice, count: Int) -> InputError? {
    slice.count = 0
    while slice.count < count {
      let filled = slice.count
      let result = unsafe slice.bytes.withUnsafeMutableBytes { bytes in
        unsafe pread(
          file.descriptor,
          bytes.baseAddress.map { unsafe $0 + filled },
          count - filled,
          offset + filled
        )
      }
      if result > 0 {
        slice.count += result
      } else if result == 0 {
        break
      } else if errno != EINTR {
        return InputError(name: name, SystemError())
      }
    }
    return nil
  }

  /// Leaves the descriptor, which others may share, where reading would have left it.
  func finish() {
    _ = lseek(file.descriptor, max(start, size), SEEK_SET)
  }
}

extension LogSlice {
  /// The first place to cut the text at or behind an offset; `nil` where it ends before.
  fileprivate func firstCut(at offset: Int) -> LogCut? {
    guard count > offset else { return nil }
    return LogCut.first(in: bytes.span.extracting(0..<count), at: offset)
  }
}
