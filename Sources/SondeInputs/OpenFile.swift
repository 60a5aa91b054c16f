import Glibc
package import SondeSystem

/// A file or pipe that is open to be read.
package final class OpenFile: Sendable {
  /// The size of a regular file in bytes, when it was opened.
  package let size: UInt64?

  /// The offset of the first byte to read of a regular file.
  package let start: Int

  private let owner: Descriptor

  /// The number to read from, as long as this object is there.
  package var descriptor: Int32 { owner.number }

  /// About how many bytes of a regular file are to be read.
  func count(in range: Range<Int>?) -> UInt64? {
    size.map { size in
      let end = min(size, range.map { UInt64($0.upperBound) } ?? .max)
      return end - min(end, UInt64(range?.lowerBound ?? start))
    }
  }

  /// Where the lines that begin in a range lie; without an end, up to that of the file.
  package func bounds(of range: Range<Int>?) -> (start: Int, end: Int?) {
    guard let range else { return (start, nil) }
    let end = lineStart(from: range.upperBound)
    return (lineStart(from: range.lowerBound) ?? Int(clamping: size ?? 0), end)
  }

  /// The begin of the first line at or behind an offset; `nil` where the file ends before.
  private func lineStart(from offset: Int) -> Int? {
    guard offset > 0 else { return 0 }
    var bytes = [UInt8](repeating: 0, count: 64 << 10)
    // A line begins behind a line feed, the one right before the offset included.
    var position = offset - 1
    while true {
      let count = unsafe pread(descriptor, &bytes, bytes.count, position)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return nil }
      if let newline = bytes.span.extracting(0..<count).firstNewline(from: 0) {
        return position + newline + 1
      }
      position += count
    }
  }

  /// Opens an input, without waiting for the writer of a named pipe.
  ///
  /// - Throws: ``InputError``, also for what is open but cannot be read.
  package init(_ input: Input) throws(InputError) {
    do throws(SystemError) {
      switch input {
      case .file(let path):
        // A pipe nobody writes to yet is waited for in `poll`, which can be ended.
        owner = try Descriptor(opening: path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
      case .standardInput, .literal: owner = Descriptor(sharing: STDIN_FILENO)
      }
      let status = try owner.status()
      if status.mode & S_IFMT == S_IFDIR { throw SystemError(EISDIR) }
      if fcntl(owner.number, F_GETFL) & O_ACCMODE == O_WRONLY { throw SystemError(EBADF) }
      size = status.isRegular ? UInt64(clamping: status.size) : nil
      start = status.isRegular ? max(0, lseek(owner.number, 0, SEEK_CUR)) : 0
    } catch {
      throw InputError(name: input.name, error)
    }
  }

  /// What a regular file holds, as it lies on the disk; `nil` of anything else, and of a file without
  /// a size, as those of /proc.
  package var content: Content? {
    guard let size, size > 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: Content.longestSignature)
    let count = unsafe pread(descriptor, &bytes, bytes.count, start)
    return Content.judge(Array(bytes.prefix(max(0, count))), isWhole: true)
  }

  /// Whether the file is shorter than it was; those of /sys never have had the size they tell.
  package func hasBecomeShorter(than size: Int) -> Bool {
    FileStatus(descriptor: descriptor).map { $0.size < size } ?? false
  }
}

extension InputError {
  /// A failure of the system.
  package init(name: String, _ error: SystemError) {
    self.init(name: name, reason: "\(error)", code: error.code)
  }
}

extension WakePipe {
  /// What ends waiting for an input early.
  /// - Throws: ``InputError`` when the process may open no more files.
  package static func forInputs() throws(InputError) -> WakePipe {
    do {
      return try WakePipe()
    } catch {
      throw InputError(name: "pipe", error)
    }
  }
}
