import Glibc
import Store
import System

/// An open file or pipe, read with `poll` and `read` so that waiting for it can end early.
final class InputDescriptor {
  /// The input's name, for messages.
  let name: String

  /// The size of a regular file in bytes.
  let size: UInt64?

  /// The bytes read so far: how many, and their hash.
  private(set) var taken = Checksum()

  private let descriptor: Int32
  private let isOwned: Bool
  /// The offset of the first byte to read of a regular file.
  private let start: Int

  init(_ input: Input) throws(InputFailure) {
    name = input.name
    switch input {
    case .file(let path):
      descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
      isOwned = true
    case .standardInput, .literal:
      descriptor = STDIN_FILENO
      isOwned = false
    }
    guard descriptor >= 0 else {
      throw InputFailure(name: name, reason: "\(SystemError())", code: errno)
    }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else {
      throw InputFailure(name: name, reason: "\(SystemError())", code: errno)
    }
    size = status.st_mode & S_IFMT == S_IFREG ? UInt64(status.st_size) : nil
    start = size == nil ? 0 : max(0, lseek(descriptor, 0, SEEK_CUR))
  }

  /// The file as one that several threads read at once, from where this has come to.
  ///
  /// - Returns: `nil` where it is no regular file of some size, or is compressed.
  func shared() -> SharedFile? {
    // Those of /proc are without a size.
    guard let size, size > 0, taken.count == 0 else { return nil }
    let start = lseek(descriptor, 0, SEEK_CUR)
    guard start >= 0 else { return nil }
    var magic = [UInt8](repeating: 0, count: 8)
    let count = unsafe pread(descriptor, &magic, magic.count, start)
    magic.removeLast(magic.count - max(0, count))
    guard Compression.judge(magic) == .plain else { return nil }
    let duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard duplicate >= 0 else { return nil }
    return SharedFile(name: name, descriptor: duplicate, start: start, size: Int(size))
  }

  deinit { if isOwned, descriptor >= 0 { close(descriptor) } }

  /// Reads once what is there, or waits for it.
  ///
  /// - Parameters:
  ///   - buffer: Where the bytes are appended.
  ///   - count: The most bytes to append.
  ///   - deadline: When waiting ends; `nil` is never.
  ///   - interrupt: What ends waiting early.
  /// - Returns: What came of it.
  func read(
    into buffer: inout [UInt8],
    atMost count: Int,
    until deadline: ContinuousClock.Instant?,
    interruptedBy interrupt: WakePipe
  ) -> InputFile.Fill {
    // Regular files are always ready, and `poll` on them is time lost.
    if size == nil {
      switch interrupt.wait(for: .reading, of: descriptor, until: deadline) {
      case .ready: break
      case .timedOut: return .silence
      case .rung: return .interrupted
      }
    }
    let start = buffer.count
    var result = 0
    buffer.append(addingCapacity: count) { output in
      unsafe output.withUnsafeMutableBufferPointer { room, filled in
        unsafe result = Glibc.read(descriptor, room.baseAddress, count)
        filled = max(0, result)
      }
    }
    let code = errno
    if result > 0 {
      taken.update(buffer.span.extracting(start...))
      return .more
    }
    if result == 0 { return isCutShort ? .failure(.becameShorter(name)) : .end }
    if code == EINTR || code == EAGAIN { return .more }
    return .failure(InputFailure(name: name, reason: "\(SystemError(code))"))
  }
}

extension InputDescriptor {
  /// Whether the file has become shorter than it was, so that its end may be anywhere.
  private var isCutShort: Bool {
    guard let size, UInt64(start) + taken.count < size else { return false }
    return SharedFile.hasBecomeShorter(descriptor, than: Int(size))
  }
}

extension WakePipe {
  /// What ends waiting for an input early.
  /// - Throws: ``InputFailure`` when the process may open no more files.
  static func forInputs() throws(InputFailure) -> WakePipe {
    do {
      return try WakePipe()
    } catch {
      throw InputFailure(name: "pipe", reason: "\(error)", code: error.code)
    }
  }
}
