import Glibc
import Store
import System

/// Why an output could not be written.
public struct OutputFailure: Error, Sendable, Equatable {
  /// The output's name.
  public let name: String

  /// The system's words for it.
  public let reason: String

  /// Whether the reader of a pipe has gone, which is no fault.
  public let isClosedPipe: Bool

  /// Takes a reason of Sonde's own.
  init(name: String, reason: String) {
    self.name = name
    self.reason = reason
    isClosedPipe = false
  }

  /// Takes the reason from an error number.
  public init(name: String, code: Int32) {
    self.name = name
    reason = "\(SystemError(code))"
    isClosedPipe = code == EPIPE
  }
}

extension OutputFailure: CustomStringConvertible {
  /// The name and the reason.
  public var description: String { "\(name): \(reason)" }
}

/// Told of each write to a terminal on which something else is shown as well.
public protocol OutputObserver: Sendable {
  /// Records are about to be written.
  func outputBegins()

  /// They are written, or could not be; whether what is written so far ends with a line.
  func outputEnds(withLine endsLine: Bool)
}

/// A descriptor that takes whole records, on a thread of its own, because writing blocks.
public actor Sink {
  private let executor = BlockingExecutor(label: "sonde.sink")
  private let descriptor: Int32
  private let isOwned: Bool
  private let name: String
  private let isRegular: Bool
  /// Whether it is to be written from its beginning, and whether it was not there before.
  private let isNew: Bool
  private let isMade: Bool
  private let observer: (any OutputObserver)?

  /// The actor's own thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Writes to standard output.
  ///
  /// - Parameter observer: Told of each write; `nil` where nothing else is shown there.
  public init(observedBy observer: (any OutputObserver)? = nil) {
    self.observer = observer
    (descriptor, isOwned, name) = (STDOUT_FILENO, false, "stdout")
    (isNew, isMade) = (false, false)
    isRegular = Sink.isRegular(descriptor)
  }

  /// Opens a file, which is made where there is none; ``empty()`` then makes room.
  public init(path: String) throws(OutputFailure) {
    name = path
    observer = nil
    (isOwned, isNew) = (true, true)
    let flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY
    let made = unsafe open(path, flags | O_EXCL, 0o644)
    isMade = made >= 0
    descriptor = isMade || errno != EEXIST ? made : unsafe open(path, flags, 0o644)
    guard descriptor >= 0 else {
      throw OutputFailure(name: path, code: errno)
    }
    isRegular = Sink.isRegular(descriptor)
  }

  /// Opens a file that was written before, to go on behind what a journal says of it.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - mark: How far it was, by the journal.
  /// - Returns: The sink, and the hash of what is in the file.
  /// - Throws: ``ResumeError`` when the file has changed since.
  static func resuming(
    _ path: String,
    at mark: OutputMark
  ) throws(ResumeError) -> (sink: Sink, hash: Checksum) {
    let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0o644)
    guard descriptor >= 0 else { throw ResumeError("\(path): \(SystemError())") }
    let sink = Sink(descriptor: descriptor, name: path)
    var hash = Checksum()
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while hash.count < mark.length {
      let wanted = Int(min(UInt64(buffer.count), mark.length - hash.count))
      let got = unsafe buffer.withUnsafeMutableBytes {
        unsafe read(descriptor, $0.baseAddress, wanted)
      }
      guard got > 0 else { break }
      hash.update(buffer.span.extracting(0..<got))
    }
    guard hash.count == mark.length, hash.count == 0 || hash.value == mark.hash else {
      var error = ResumeError("\(path) has changed since; remove the journal to begin anew")
      error.isCutShort = hash.count < mark.length
      throw error
    }
    return (sink, hash)
  }

  /// Cuts the file to what a journal says, and goes on there.
  nonisolated func cut(to mark: OutputMark) throws(ResumeError) {
    guard ftruncate(descriptor, off_t(mark.length)) == 0,
      lseek(descriptor, off_t(mark.length), SEEK_SET) >= 0
    else { throw ResumeError("\(name): \(SystemError())") }
  }

  /// Takes over a descriptor.
  init(descriptor: Int32, name: String) {
    self.descriptor = descriptor
    self.name = name
    observer = nil
    (isOwned, isNew, isMade) = (true, false, false)
    isRegular = Sink.isRegular(descriptor)
  }

  private static func isRegular(_ descriptor: Int32) -> Bool {
    var status = stat()
    return unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  deinit { if isOwned { close(descriptor) } }

  /// Throws away what is in a file that is not gone on with.
  public func empty() throws(OutputFailure) {
    guard isNew, isRegular, ftruncate(descriptor, 0) != 0 else { return }
    throw OutputFailure(name: name, code: errno)
  }

  /// Takes the file away if opening it has made it.
  public func discard() { if isMade { _ = unsafe unlink(name) } }

  /// Waits until everything is on the disk, if this is a file, and then does something more.
  func sync(then settle: @Sendable () throws(OutputFailure) -> Void = {}) throws(OutputFailure) {
    guard !isRegular || fdatasync(descriptor) == 0 else {
      throw OutputFailure(name: name, code: errno)
    }
    try settle()
  }

  /// Writes all of the bytes.
  ///
  /// What a full disk cut off in a regular file is taken back, so that the file ends with whole
  /// records: all of `bytes` is written or nothing.
  public func write(_ bytes: [UInt8]) throws(OutputFailure) {
    guard !bytes.isEmpty else { return }
    observer?.outputBegins()
    defer { observer?.outputEnds(withLine: bytes.last == UInt8(ascii: "\n")) }
    var written = 0
    while written < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { buffer in
        unsafe Glibc.write(
          descriptor,
          buffer.baseAddress.map { unsafe $0 + written },
          buffer.count - written
        )
      }
      if count >= 0 {
        written += count
      } else if errno == EAGAIN {
        waitUntilWritable()
      } else if errno != EINTR {
        throw fail(written: written)
      }
    }
  }

  private func fail(written: Int) -> OutputFailure {
    let code = errno
    if isRegular, written > 0, case let end = lseek(descriptor, 0, SEEK_CUR), end >= 0 {
      _ = ftruncate(descriptor, end - off_t(written))
      _ = lseek(descriptor, 0, SEEK_END)
    }
    return OutputFailure(name: name, code: code)
  }

  private func waitUntilWritable() {
    var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    _ = unsafe poll(&polled, 1, -1)
  }
}
