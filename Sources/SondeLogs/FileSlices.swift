import Glibc
import SondeAddresses
import SondeInputs
import SondeSystem

/// A regular text file read by several threads, each in separate slices.
///
/// It is not memory-mapped, so truncation only ends it earlier.
final class FileSlices: Sendable {
  /// The result of reading a slice, besides its text.
  struct Reading {
    /// Whether the file ends here, so that later slices are dropped.
    var isLast = false
    /// Why it ended unexpectedly.
    var failure: InputError?
    /// The range of this slice in the file.
    var own: Range<Int>
  }

  /// The usual size of a slice in bytes.
  static let sliceSize = SlicedChecksum.sliceSize

  let name: String

  private let file: OpenFile
  private let start: Int
  /// The end of the range to read, if it is before the end of the file.
  private let end: Int?
  /// The size of the file when it was opened.
  private let size: Int
  private let sliceSize: Int
  /// Drops addresses that are not picked; `nil` if all are.
  private let picker: LinePicker?
  /// Whether slices have whole lines.
  private let keepsLines: Bool
  private let columns: FileColumns

  /// Creates slices of an open file, of the lines that start in `range`; `nil` for all.
  ///
  /// `size` is the original size of the file, if different from the current one.
  init(
    _ file: OpenFile,
    name: String,
    range: Range<Int>? = nil,
    size: Int? = nil,
    sliceSize: Int = FileSlices.sliceSize,
    picker: LinePicker? = nil,
    keepsLines: Bool = false
  ) {
    self.keepsLines = keepsLines || picker != nil
    (self.file, self.name, self.sliceSize) = (file, name, sliceSize)
    (self.picker, columns) = (picker, FileColumns(file))
    self.size = size ?? Int(clamping: file.size ?? 0)
    (start, end) = file.bounds(of: range)
  }

  /// Reads the slice with a number from 0; its text is empty if all of it belongs to others.
  ///
  /// It begins and ends at a ``LogCut`` that adjacent slices find, too: each reads slightly beyond.
  func read(_ index: Int, into slice: inout LogSlice) -> Reading {
    let before = min(index * sliceSize, LogCut.reach)
    let (first, next) = (before, before + sliceSize)
    let offset = start + index * sliceSize - before
    let wanted = min(next + LogCut.reach, max(0, (end ?? .max) - offset))
    let room = next + 2 * LogCut.reach
    slice.base = offset
    if slice.bytes.count < room {
      // Uninitialised, so that a small file only touches the pages it needs.
      slice.bytes = unsafe [UInt8](unsafeUninitializedCapacity: room) { $1 = room }
    }
    slice.count = 0
    let failure = read(at: offset, into: &slice, count: wanted)
    var reading = Reading(failure: failure, own: min(first, slice.count)..<min(next, slice.count))
    guard !keepsLines else {
      readLines(first, next, at: offset, into: &slice, &reading)
      slice.picker = picker
      if let picker, picker.needsColumns {
        slice.picker = picker.below(columns.before(offset + slice.start))
      }
      return reading
    }
    let (begin, cut) = (slice.firstCut(at: first), slice.firstCut(at: next))
    slice.start = begin?.offset ?? slice.count
    slice.cut = cut ?? finish(&reading, at: offset + slice.count, slice)
    return reading
  }

  /// Makes the slice those lines that begin in its part of the text, and reads the last one's end.
  private func readLines(
    _ first: Int,
    _ next: Int,
    at offset: Int,
    into slice: inout LogSlice,
    _ reading: inout Reading
  ) {
    let begin = first == 0 ? 0 : slice.lineStart(from: first) ?? .max
    guard begin < min(next, slice.count) else {
      // No line begins here.
      (slice.start, slice.cut) = (slice.count, LogCut(offset: slice.count, isClean: true))
      if slice.count <= next { _ = finish(&reading, at: offset + slice.count, slice) }
      return
    }
    slice.start = begin
    var searched = next
    while true {
      if let cut = slice.lineStart(from: searched) {
        slice.cut = LogCut(offset: cut, isClean: true)
        return
      }
      let count = slice.count
      let wanted = min(2 * count, max(0, (end ?? .max) - offset))
      guard reading.failure == nil, wanted > count else { break }
      if slice.bytes.count < wanted {
        slice.bytes += [UInt8](repeating: 0, count: wanted - slice.bytes.count)
      }
      reading.failure = read(at: offset, into: &slice, count: wanted)
      guard slice.count > count else { break }
      searched = max(next, count)
    }
    slice.cut = finish(&reading, at: offset + slice.count, slice)
  }

  /// Ends the file with a slice, at the end of the text.
  ///
  /// A file that was truncated meanwhile may end within an address, which must not be reported.
  private func finish(_ reading: inout Reading, at offset: Int, _ slice: LogSlice) -> LogCut {
    reading.isLast = true
    if reading.failure == nil, offset < min(size, end ?? .max),
      file.hasBecomeShorter(than: size)
    {
      reading.failure = .becameShorter(name)
    }
    guard reading.failure != nil else { return LogCut(offset: slice.count, isClean: true) }
    let text = slice.bytes.span.extracting(0..<slice.count)
    return LogCut.lastClean(in: text, refangs: slice.refangs)
  }

  private func read(at offset: Int, into slice: inout LogSlice, count: Int) -> InputError? {
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

  /// Sets the offset of the descriptor, which may be shared, to the end of the read text.
  func finish() {
    _ = lseek(file.descriptor, max(start, size), SEEK_SET)
  }
}

extension LogSlice {
  /// The start of the first line at or after an offset; `nil` if the text ends before.
  fileprivate func lineStart(from offset: Int) -> Int? {
    guard count >= offset else { return nil }
    return bytes.span.extracting(0..<count).firstNewline(from: offset - 1).map { $0 + 1 }
  }

  /// The first cut at or after an offset; `nil` if the text ends before.
  fileprivate func firstCut(at offset: Int) -> LogCut? {
    guard count > offset else { return nil }
    return LogCut.first(in: bytes.span.extracting(0..<count), at: offset, refangs: refangs)
  }
}
