import Glibc
import SondeStore
public import SondeSystem

/// The destination of records: a file or pipe, or a table of a database.
public protocol RecordSink: Actor {
  /// The name for people.
  nonisolated var name: String { get }

  /// Removes the content, unless the output is appended to.
  func empty() throws(OutputError)

  /// Removes the file if opening it created it.
  func discard()

  /// Writes whole records atomically.
  func write(_ bytes: [UInt8]) throws(OutputError)

  /// Makes written data survive the process, and checks that a file is still at its path.
  func commit() throws(OutputError)

  /// Waits until everything is on disk, and then runs a closure.
  func sync(then settle: @Sendable () throws(OutputError) -> Void) throws(OutputError)

  /// Commits, and ends writing.
  func end() throws(OutputError)
}

extension RecordSink {
  /// Writes bytes, compressed if requested; returns the bytes written.
  package nonisolated func write(
    _ bytes: [UInt8],
    _ packing: Packing?
  ) async throws(OutputError) -> [UInt8] {
    guard let packing else {
      try await write(bytes)
      return bytes
    }
    guard let member = packing.member(of: bytes) else {
      throw OutputError(name: name, code: ENOMEM)
    }
    try await write(member)
    return member
  }
}

/// Observes writes to a terminal on which other things are shown, too.
public protocol OutputObserver: Sendable {
  /// Records are about to be written.
  func outputBegins()

  /// Records were written or could not be; with whether the output so far ends with a line.
  func outputEnds(withLine endsLine: Bool)
}

/// A descriptor for whole records, with its own thread, because writing blocks.
public actor Sink {
  private let executor = BlockingExecutor(label: "sonde.sink")
  private let file: Descriptor
  /// The file, if it was opened here and is not shared.
  private let owned: OutputFile?
  /// The name for people.
  public nonisolated let name: String
  /// Ends a write that waits for a reader.
  private let interruption: Interruption?
  private let isRegular: Bool
  /// Whether it is written from its beginning.
  private let isNew: Bool
  private let observer: (any OutputObserver)?

  /// The executor of a separate thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Writes to standard output; `interruption` ends a write that waits for a reader.
  public init(observedBy observer: (any OutputObserver)? = nil, interruption: Interruption? = nil) {
    self.observer = observer
    (file, name) = (Descriptor(sharing: STDOUT_FILENO), "stdout")
    (owned, isNew) = (nil, false)
    self.interruption = interruption
    isRegular = FileStatus(descriptor: file.number)?.isRegular == true
  }

  /// Opens or creates a file, which ``empty()`` then empties.
  ///
  /// Opening a named pipe waits for a reader, and so may writing, which `interruption` ends.
  public init(path: String, interruption: Interruption? = nil) throws(OutputError) {
    do throws(OutputFileError) {
      let file = try OutputFile(opening: path, O_WRONLY | O_CREAT | O_NOCTTY)
      self.init(owning: file, isNew: true, interruption: interruption)
    } catch {
      throw OutputError(name: path, error)
    }
  }

  private init(owning owned: OutputFile, isNew: Bool, interruption: Interruption? = nil) {
    (self.owned, file, name) = (owned, owned.descriptor, owned.path)
    (self.isNew, isRegular) = (isNew, owned.isRegular)
    (self.interruption, observer) = (interruption, nil)
  }

  /// Opens a file written before, to append after a journal's mark; throws if it has changed.
  static func resuming(_ path: String, at mark: OutputMark) throws(ResumeError) -> WrittenFile {
    let sink = Sink(owning: try open(path), isNew: false)
    var hash = Checksum()
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while hash.count < mark.length {
      let wanted = Int(min(UInt64(buffer.count), mark.length - hash.count))
      let got = unsafe buffer.withUnsafeMutableBytes {
        unsafe read(sink.file.number, $0.baseAddress, wanted)
      }
      guard got > 0 else { break }
      hash.update(buffer.span.extracting(0..<got))
    }
    guard hash.count == mark.length, hash.count == 0 || hash.value == mark.hash else {
      throw .changed(path, isCutShort: hash.count < mark.length)
    }
    return WrittenFile(sink: sink, hash: hash) { () throws(ResumeError) in try sink.cut(to: mark) }
  }

  /// Truncates the file to a journal's mark, to append there.
  nonisolated func cut(to mark: OutputMark) throws(ResumeError) {
    guard ftruncate(file.number, off_t(mark.length)) == 0,
      lseek(file.number, off_t(mark.length), SEEK_SET) >= 0
    else { throw ResumeError("\(name): \(SystemError())") }
  }

  private static func open(_ path: String) throws(ResumeError) -> OutputFile {
    do throws(OutputFileError) {
      return try OutputFile(opening: path, O_RDWR | O_CREAT | O_NOCTTY)
    } catch {
      throw ResumeError(OutputError(name: path, error))
    }
  }

  /// Writes to an open file owned by others.
  init(file: Descriptor, name: String) {
    (self.file, self.name) = (file, name)
    (owned, isNew, interruption, observer) = (nil, false, nil, nil)
    isRegular = FileStatus(descriptor: file.number)?.isRegular == true
  }

  /// Removes the content of a file that is not appended to.
  public func empty() throws(OutputError) {
    guard isNew, isRegular, ftruncate(file.number, 0) != 0 else { return }
    throw OutputError(name: name, code: errno)
  }

  /// Removes the file if opening it created it.
  public func discard() { owned?.discard() }

  /// Waits until everything is on disk, if this is a file, and then runs a closure.
  public func sync(then settle: @Sendable () throws(OutputError) -> Void = {}) throws(OutputError) {
    guard !isRegular || fdatasync(file.number) == 0 else {
      throw OutputError(name: name, code: errno)
    }
    try settle()
  }

  /// Writes all bytes, or nothing to a regular file.
  ///
  /// On a full disk, a regular file is truncated to whole records after an incomplete write.
  public func write(_ bytes: [UInt8]) throws(OutputError) {
    guard !bytes.isEmpty else { return }
    try checkEnd()
    observer?.outputBegins()
    defer { observer?.outputEnds(withLine: bytes.last == UInt8(ascii: "\n")) }
    let (written, obstacle) = file.write(bytes, endedBy: isRegular ? nil : interruption)
    switch obstacle {
    case nil: return
    case .interrupted: throw OutputError.abandoned(name)
    case .failed(let error):
      takeBack(written)
      throw OutputError(name: name, code: error.code)
    }
  }

  /// Ensures that a file ends at the last write; after a truncation, writing would leave a hole.
  private func checkEnd() throws(OutputError) {
    guard owned != nil, isRegular else { return }
    let end = FileStatus(descriptor: file.number)?.size
    guard end == lseek(file.number, 0, SEEK_CUR) else { throw .changed(name) }
  }

  /// Truncates a regular file to the start of an incomplete write.
  private func takeBack(_ written: Int) {
    if isRegular, written > 0, case let end = lseek(file.number, 0, SEEK_CUR), end >= 0 {
      _ = ftruncate(file.number, end - off_t(written))
      _ = lseek(file.number, 0, SEEK_END)
    }
  }
}

extension Sink: RecordSink {
  /// Ensures that the file is still at its path, and ends at the last write.
  public func commit() throws(OutputError) {
    guard owned?.isInPlace ?? true else { throw .displaced(name) }
    try checkEnd()
  }

  /// Checks the file as ``commit()`` does, for the last time.
  public func end() throws(OutputError) { try commit() }
}
