import Glibc
import SondeSystem

/// The file next to an output with a scan's progress.
///
/// Two checkpoints are written alternately, so that one is always complete when the process is
/// killed. After a power failure both may be ahead of the outputs, so there are two more, which are
/// written only when the outputs are on disk.
final class JournalFile: Sendable {
  /// The events that a checkpoint survives.
  enum Safety: Int {
    /// The end of the process.
    case kill
    /// The end of the machine.
    case powerFailure
  }

  /// A checkpoint with its slot.
  struct Kept {
    let number: UInt64
    let checkpoint: Checkpoint
    fileprivate let slot: Int

    var safety: Safety { slot < 2 ? .kill : .powerFailure }
    /// The slot among the two of its kind.
    var turn: UInt64 { UInt64(slot % 2) }
  }

  /// The largest size of a scan's description in bytes.
  private static let largestJob = 64 << 20

  /// The size of a slot, including entries ahead of an unordered output.
  fileprivate static let slot = 512 << 10

  private let file: Descriptor
  private let owned: OutputFile
  private let path: String

  /// Opens a journal, which has no checkpoint if `isNew`; throws if another process is using it.
  init(path: String, isNew: Bool) throws(ResumeError) {
    self.path = path
    do throws(OutputFileError) {
      owned = try OutputFile(opening: path, O_RDWR | (isNew ? O_CREAT : 0))
    } catch {
      throw ResumeError(OutputError(name: path, error))
    }
    file = owned.descriptor
    guard isNew else { return }
    guard Self.isBlank(file) else { throw ResumeError(.busy(path)) }
    guard ftruncate(file.number, 0) == 0 else { throw ResumeError("\(path): \(SystemError())") }
  }

  /// Whether no checkpoint was ever written, because the process was killed before.
  fileprivate static func isBlank(_ file: Descriptor) -> Bool {
    (0..<4).allSatisfy { slot in
      var head: (UInt64, UInt64, UInt64) = (0, 0, 0)
      let size = MemoryLayout.size(ofValue: head)
      let got = unsafe pread(file.number, &head, size, off_t(slot * Self.slot))
      return got >= 0 && head == (0, 0, 0)
    }
  }

  /// The complete checkpoints, the newest first.
  func read() -> [Kept] {
    let kept = (0..<4).compactMap { slot -> Kept? in
      guard let head = words(at: slot * Self.slot, count: 2), head[1] <= UInt64(Self.slot / 8) - 2,
        let words = words(at: slot * Self.slot + 16, count: Int(head[1]))
      else { return nil }
      return Checkpoint(words: words).map { Kept(number: head[0], checkpoint: $0, slot: slot) }
    }
    return kept.sorted { $0.number > $1.number }
  }

  /// Writes a checkpoint, replacing the second newest of its kind.
  ///
  /// `number` is higher than all before, and `turn` one more than that of the last one of its kind.
  /// A checkpoint that is too large is skipped: the last one remains valid, and the output after it
  /// is repeated.
  func write(
    _ checkpoint: Checkpoint,
    number: UInt64,
    safety: Safety,
    turn: UInt64
  ) throws(OutputError) {
    let words = checkpoint.words
    guard words.count <= Self.slot / 8 - 2 else { return }
    let all = ([number, UInt64(words.count)] + words).map(\.littleEndian)
    let slot = 2 * safety.rawValue + Int(turn % 2)
    try write(unsafe all.withUnsafeBytes { unsafe Array($0) }, at: slot * Self.slot)
  }

  /// Writes the description of the scan, once, after the slots.
  func write(_ job: ScanJob) throws(OutputError) {
    let bytes = job.bytes
    let head = [UInt64(bytes.count), Checksum.of(bytes.span)].map(\.littleEndian)
    try write(unsafe head.withUnsafeBytes { unsafe Array($0) } + bytes, at: 4 * Self.slot)
  }

  private func write(_ bytes: [UInt8], at offset: Int) throws(OutputError) {
    var written = 0
    while written < bytes.count {
      let count = unsafe bytes.withUnsafeBytes {
        let rest = unsafe UnsafeRawBufferPointer(rebasing: $0[written...])
        return unsafe pwrite(file.number, rest.baseAddress, rest.count, off_t(offset + written))
      }
      // After a partial write, the next call returns the reason.
      if count > 0 {
        written += count
      } else if count == 0 || errno != EINTR {
        throw OutputError(name: path, code: errno)
      }
    }
  }

  /// The description of the scan; `nil` if it is damaged.
  func readJob() -> ScanJob? {
    guard let head = words(at: 4 * Self.slot, count: 2), head[0] <= UInt64(Self.largestJob)
    else { return nil }
    var bytes = [UInt8](repeating: 0, count: Int(head[0]))
    let got = unsafe pread(file.number, &bytes, bytes.count, off_t(4 * Self.slot + 16))
    guard got == bytes.count, Checksum.of(bytes.span) == head[1] else { return nil }
    return ScanJob(bytes: bytes)
  }

  /// Waits until everything is on disk, including the file's name.
  func sync() throws(OutputError) {
    guard fdatasync(file.number) == 0 else { throw OutputError(name: path, code: errno) }
    synchronizeFolder(of: path)
  }

  func remove() { _ = unsafe unlink(path) }

  private func words(at offset: Int, count: Int) -> [UInt64]? {
    var words = [UInt64](repeating: 0, count: count)
    let size = count * MemoryLayout<UInt64>.size
    let got = unsafe words.withUnsafeMutableBytes { buffer in
      unsafe pread(file.number, buffer.baseAddress, size, off_t(offset))
    }
    return got == size ? words.map { UInt64(littleEndian: $0) } : nil
  }
}

extension Journal {
  /// The path of an output's journal, next to the file itself, whatever link leads to it.
  ///
  /// - Parameter output: The output, as given by the user.
  /// - Returns: The journal's path, or that of a journal under another name of the file in its
  ///   directory.
  public static func path(of output: String) -> String {
    let target = target(of: output)
    let path = target + ending
    guard !isBegun(path: path), let status = FileStatus(path: target) else { return path }
    let same = status.links > 1 ? paths(to: status, inFolderOf: target) : []
    return ([output] + same).map { $0 + ending }.first(where: isBegun) ?? path
  }

  /// Whether an output has a hard link in another directory, where its journal may be.
  public static func mayLieElsewhere(of output: String) -> Bool {
    let target = target(of: output)
    guard let status = FileStatus(path: target), status.links > 1 else { return false }
    let paths = paths(to: status, inFolderOf: target)
    return paths.count { !isSymbolicLink($0) } < status.links
  }

  private static func target(of output: String) -> String {
    isSymbolicLink(output) ? resolvedPath(output) : output
  }

  /// The paths of a file in one directory.
  private static func paths(to file: FileStatus, inFolderOf path: String) -> [String] {
    let folder = folder(of: path)
    let paths = names(in: folder.isEmpty ? "." : folder).sorted().map { folder + $0 }
    return paths.filter { FileStatus(path: $0)?.identity == file.identity }
  }

  private static let ending = ".journal"

  /// Whether a journal has a checkpoint, without which its scan was killed before the first one;
  /// true if it cannot be opened.
  public static func isBegun(path: String) -> Bool {
    guard FileStatus(path: path) != nil else { return false }
    guard let file = try? Descriptor(opening: path, O_RDONLY | O_NONBLOCK | O_NOCTTY) else {
      return true
    }
    return !JournalFile.isBlank(file)
  }

  /// Whether a file is a journal, by its content.
  public static func isJournal(path: String) -> Bool {
    guard let file = try? Descriptor(opening: path, O_RDONLY | O_NONBLOCK | O_NOCTTY) else {
      return false
    }
    return [0, 1, 2, 3].contains { slot in
      var word: UInt64 = 0
      let got = unsafe pread(file.number, &word, 8, off_t(slot * JournalFile.slot + 16))
      // In any version.
      return got == 8 && UInt64(littleEndian: word) >> 16 == Checkpoint.magic >> 16
    }
  }
}
