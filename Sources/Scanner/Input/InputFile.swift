import Glibc

/// One open input, read with `poll` and `read` so that waiting for it can end early.
final class InputFile {
  /// What came of waiting for more.
  enum Fill {
    case more, end, silence, interrupted
    case failure(InputFailure)
  }

  private let descriptor: Int32
  private let name: String
  private let isOwned: Bool
  /// Regular files are always ready, and `poll` on them is time lost.
  private let isRegular: Bool

  /// The size of a regular file in bytes.
  let size: UInt64?

  init(_ input: Input) throws(InputFailure) {
    name = input.name
    switch input {
    case .file(let path):
      descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
      isOwned = true
    case .standardInput, .literal:
      descriptor = STDIN_FILENO
      isOwned = false
    }
    guard descriptor >= 0 else { throw InputFailure(name: name, reason: systemError()) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else {
      throw InputFailure(name: name, reason: systemError())
    }
    isRegular = status.st_mode & S_IFMT == S_IFREG
    size = isRegular ? UInt64(status.st_size) : nil
  }

  deinit { if isOwned, descriptor >= 0 { Glibc.close(descriptor) } }

  /// Reads once what is there, or waits for it.
  func read(
    into buffer: inout [UInt8],
    atMost count: Int,
    until deadline: ContinuousClock.Instant?,
    interruptedBy interrupt: borrowing WakeUp
  ) -> Fill {
    if !isRegular {
      switch interrupt.wait(for: descriptor, until: deadline) {
      case .ready: break
      case .timedOut: return .silence
      case .interrupted: return .interrupted
      }
    }
    let start = buffer.count
    buffer.append(contentsOf: repeatElement(0, count: count))
    let result = unsafe buffer.withUnsafeMutableBytes { bytes in
      unsafe Glibc.read(descriptor, bytes.baseAddress.map { unsafe $0 + start }, count)
    }
    buffer.removeLast(count - max(0, result))
    if result > 0 { return .more }
    if result == 0 { return .end }
    if errno == EINTR || errno == EAGAIN { return .more }
    return .failure(InputFailure(name: name, reason: systemError()))
  }
}

/// The system's words for the last failed call: `No such file or directory`.
func systemError(_ code: Int32 = errno) -> String { unsafe String(cString: strerror(code)) }
