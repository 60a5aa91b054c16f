import Glibc
package import SondeSystem

/// A file or pipe open for reading.
package final class OpenFile: Sendable {
  /// The size of a regular file in bytes, when it was opened.
  package let size: UInt64?

  /// The offset of the first byte to read of a regular file.
  package let start: Int

  private let owner: Descriptor

  /// The descriptor, valid as long as this object exists.
  package var descriptor: Int32 { owner.number }

  /// The approximate number of bytes to read from a regular file.
  func count(in range: Range<Int>?) -> UInt64? {
    size.map { size in
      let end = min(size, range.map { UInt64($0.upperBound) } ?? .max)
      return end - min(end, UInt64(range?.lowerBound ?? start))
    }
  }

  /// The lines that begin in a range; without an end, up to that of the file.
  package func bounds(of range: Range<Int>?) -> (start: Int, end: Int?) {
    guard let range else { return (start, nil) }
    let end = lineStart(from: range.upperBound)
    return (lineStart(from: range.lowerBound) ?? Int(clamping: size ?? 0), end)
  }

  /// The start of the first line at or after an offset; `nil` if the file ends before.
  private func lineStart(from offset: Int) -> Int? {
    guard offset > 0 else { return 0 }
    var bytes = [UInt8](repeating: 0, count: 64 << 10)
    // A line starts after a line feed, including one directly before the offset.
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

  /// Opens an input without waiting for the writer of a named pipe.
  ///
  /// - Throws: ``InputError``, also if it is open but cannot be read.
  package init(_ input: Input) throws(InputError) {
    do throws(SystemError) {
      switch input {
      case .file(let path):
        // The wait for a pipe's writer takes place in `poll`, which can be interrupted.
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

  /// The content of a regular file; `nil` for anything else, or without a size, as in /proc.
  package var content: Content? {
    guard let size, size > 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: Content.longestSignature)
    let count = unsafe pread(descriptor, &bytes, bytes.count, start)
    return Content.judge(Array(bytes.prefix(max(0, count))), isWhole: true)
  }

  /// Whether the file was truncated; files in /sys never have their stated size.
  package func hasBecomeShorter(than size: Int) -> Bool {
    FileStatus(descriptor: descriptor).map { $0.size < size } ?? false
  }
}

extension InputError {
  package init(name: String, _ error: SystemError) {
    self.init(name: name, reason: "\(error)", code: error.code)
  }
}

extension WakePipe {
  /// Creates a pipe that interrupts waits for input.
  /// - Throws: ``InputError`` if no more files can be opened.
  package static func forInputs() throws(InputError) -> WakePipe {
    do {
      return try WakePipe()
    } catch {
      throw InputError(name: "pipe", error)
    }
  }
}
