import Glibc

/// Why a scan cannot be resumed, or begun anew.
public struct ResumeError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The reason, for a person.
  public let description: String

  init(_ description: String) { self.description = description }
}

/// The file beside an output that says how far a scan is.
///
/// Two entries lie in it in turn, so that one is always whole, whenever the process is killed. A lock
/// (`flock(2)`) keeps a second process away; it ends with the process.
final class JournalFile: Sendable {
  /// The room of an entry; some of it is for the entries ahead of an unordered output.
  private static let slot = 512 << 10

  private let descriptor: Int32
  private let path: String

  /// Opens the journal of an output.
  ///
  /// - Parameters:
  ///   - path: The journal's own path.
  ///   - isNew: Whether it must not be there yet.
  /// - Throws: ``ResumeError`` when it cannot be opened, or another process is at work on it.
  init(path: String, isNew: Bool) throws(ResumeError) {
    self.path = path
    let flags = O_RDWR | O_CLOEXEC | (isNew ? O_CREAT | O_EXCL : 0)
    descriptor = unsafe open(path, flags, 0o644)
    guard descriptor >= 0 else { throw ResumeError("\(path): \(systemError())") }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      throw ResumeError("another sonde is at work on \(path)")
    }
  }

  deinit { close(descriptor) }

  /// The newest whole entry, and the number under which it was written.
  func read() -> (number: UInt64, entry: JournalEntry)? {
    let candidates = [0, 1].compactMap { slot -> (number: UInt64, entry: JournalEntry)? in
      guard let head = words(at: slot * Self.slot, count: 2), head[1] <= UInt64(Self.slot / 8) - 2,
        let words = words(at: slot * Self.slot + 16, count: Int(head[1]))
      else { return nil }
      return JournalEntry(words: words).map { (head[0], $0) }
    }
    return candidates.max { $0.number < $1.number }
  }

  /// Writes an entry in place of the one before the last.
  ///
  /// - Parameters:
  ///   - entry: The entry.
  ///   - number: One more than the last one's.
  /// - Throws: ``OutputFailure`` when there is no room for it on the disk.
  func write(_ entry: JournalEntry, number: UInt64) throws(OutputFailure) {
    let words = entry.words
    let all = ([number, UInt64(words.count)] + words).map(\.littleEndian)
    let offset = off_t(number % 2) * off_t(Self.slot)
    let size = all.count * MemoryLayout<UInt64>.size
    let written = unsafe all.withUnsafeBytes {
      unsafe pwrite(descriptor, $0.baseAddress, size, offset)
    }
    guard written == size else { throw OutputFailure(name: path, code: errno) }
  }

  /// Takes the journal away: the scan is complete.
  func remove() { _ = unsafe unlink(path) }

  private func words(at offset: Int, count: Int) -> [UInt64]? {
    var words = [UInt64](repeating: 0, count: count)
    let size = count * MemoryLayout<UInt64>.size
    let got = unsafe words.withUnsafeMutableBytes { buffer in
      unsafe pread(descriptor, buffer.baseAddress, size, off_t(offset))
    }
    return got == size ? words.map { UInt64(littleEndian: $0) } : nil
  }
}
