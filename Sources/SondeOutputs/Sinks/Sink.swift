import Glibc
import SondeStore
public import SondeSystem

/// Where the bytes of records go: a file or pipe, or a table of a database.
public protocol RecordSink: Actor {
  /// What a person calls it.
  nonisolated var name: String { get }

  /// Throws away what is in it, if it is not appended to.
  func empty() throws(OutputError)

  /// Removes the file if opening it created it.
  func discard()

  /// Writes whole records, all of them or none.
  func write(_ bytes: [UInt8]) throws(OutputError)

  /// Makes what is written outlast the process, which it does in a file or pipe at once, and makes sure
  /// that a file is still where it was opened.
  func commit() throws(OutputError)

  /// Waits until everything is on the disk, and then does something more.
  func sync(then settle: @Sendable () throws(OutputError) -> Void) throws(OutputError)

  /// Commits, and ends writing; nothing more comes.
  func end() throws(OutputError)
}

extension RecordSink {
  /// Writes bytes, compressed where that is wanted.
  ///
  /// - Returns: What was written.
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
  private let file: Descriptor
  /// The file, where it was opened here and is no one else's.
  private let owned: OutputFile?
  /// What a person calls it.
  public nonisolated let name: String
  /// Ends a write that waits for a reader.
  private let interruption: Interruption?
  private let isRegular: Bool
  /// Whether it is to be written from its beginning.
  private let isNew: Bool
  private let observer: (any OutputObserver)?

  /// The actor's own thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Writes to standard output.
  ///
  /// - Parameters:
  ///   - observer: Told of each write; `nil` where nothing else is shown there.
  ///   - interruption: Ends a write that waits for a reader.
  public init(
    observedBy observer: (any OutputObserver)? = nil,
    interruption: Interruption? = nil
  ) {
    self.observer = observer
    (file, name) = (Descriptor(sharing: STDOUT_FILENO), "stdout")
    (owned, isNew) = (nil, false)
    self.interruption = interruption
    isRegular = FileStatus(descriptor: file.number)?.isRegular == true
  }

  /// Opens a file, which is made where there is none; ``empty()`` then makes room.
  ///
  /// A named pipe is waited for until it has a reader.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - interruption: Ends a write that waits for a reader.
  /// - Throws: ``OutputError``.
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

  /// Opens a file that was written before, to go on behind what a journal says of it.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - mark: How far it was, by the journal.
  /// - Returns: The sink, the hash of what is in the file, and what cuts it to what the journal says.
  /// - Throws: ``ResumeError`` when the file has changed since.
  static func resuming(
    _ path: String,
    at mark: OutputMark
  ) throws(ResumeError) -> WrittenFile {
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

  /// Cuts the file to what a journal says, and goes on there.
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

  /// Writes to an open file that somebody else owns.
  init(file: Descriptor, name: String) {
    (self.file, self.name) = (file, name)
    (owned, isNew, interruption, observer) = (nil, false, nil, nil)
    isRegular = FileStatus(descriptor: file.number)?.isRegular == true
  }

  /// Throws away what is in a file that is not appended to.
  public func empty() throws(OutputError) {
    guard isNew, isRegular, ftruncate(file.number, 0) != 0 else { return }
    throw OutputError(name: name, code: errno)
  }

  /// Removes the file if opening it created it.
  public func discard() { owned?.discard() }

  /// Waits until everything is on the disk, if this is a file, and then does something more.
  public func sync(then settle: @Sendable () throws(OutputError) -> Void = {}) throws(OutputError) {
    guard !isRegular || fdatasync(file.number) == 0 else {
      throw OutputError(name: name, code: errno)
    }
    try settle()
  }

  /// Writes all of the bytes.
  ///
  /// What a full disk cut off in a regular file is taken back, so that the file ends with whole
  /// records: all of `bytes` is written or nothing.
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

  /// Makes sure that a file ends where this has written last: after a shell has truncated it, the next
  /// write would leave a hole.
  private func checkEnd() throws(OutputError) {
    guard owned != nil, isRegular else { return }
    let end = FileStatus(descriptor: file.number)?.size
    guard end == lseek(file.number, 0, SEEK_CUR) else { throw .changed(name) }
  }

  /// Cuts a regular file where a write began that did not come to its end.
  private func takeBack(_ written: Int) {
    if isRegular, written > 0, case let end = lseek(file.number, 0, SEEK_CUR), end >= 0 {
      _ = ftruncate(file.number, end - off_t(written))
      _ = lseek(file.number, 0, SEEK_END)
    }
  }
}

extension Sink: RecordSink {
  /// Makes sure that the file is still where it was opened, and ends where this has written last; what
  /// is written outlasts the process.
  public func commit() throws(OutputError) {
    guard owned?.isInPlace ?? true else { throw .displaced(name) }
    try checkEnd()
  }

  /// Makes sure of that for the last time.
  public func end() throws(OutputError) { try commit() }
}
