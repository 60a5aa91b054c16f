import Glibc
import SondeSystem
import TestSupport
import Testing

@testable import SondeOutputs

@Suite(.timeLimit(.minutes(1))) struct SinkTests {
  private func failure(of work: () async throws -> Void) async -> OutputError? {
    do {
      try await work()
      return nil
    } catch {
      return error as? OutputError
    }
  }

  @Test func `bytes are written in order`() async throws {
    let folder = try ScratchFolder()
    let sink = try Sink(path: folder.file("out"))
    try await sink.write(Array("one\n".utf8))
    try await sink.write(Array("two\n".utf8))
    try await sink.write([])
    #expect(try folder.text("out") == "one\ntwo\n")
  }

  @Test func `a file that is there stays until it is emptied, and is not discarded`() async throws {
    let folder = try ScratchFolder()
    let path = folder.file("out")
    do {
      let sink = try Sink(path: path)
      try await sink.write(Array("old\n".utf8))
    }
    let sink = try Sink(path: path)
    await sink.discard()
    #expect(try folder.text("out") == "old\n")
    try await sink.empty()
    #expect(try folder.text("out") == "")
  }

  @Test func `a file has one writer, whatever its name, and a device any number`() throws {
    let folder = try ScratchFolder()
    let (path, soft, hard) = (folder.file("out"), folder.file("soft"), folder.file("hard"))
    let sink = try Sink(path: path)
    unsafe symlink("out", soft)
    unsafe link(path, hard)
    for name in [path, soft, hard] {
      let error = #expect(throws: OutputError.self) { _ = try Sink(path: name) }
      #expect(error?.description == "another sonde is at work on \(name)")
    }
    let devices = [try Sink(path: "/dev/null"), try Sink(path: "/dev/null")]
    #expect(Set(devices.map(\.name)) == ["/dev/null"])
    #expect(sink.name == path)
  }

  @Test func `a file that was removed or replaced is a failure when it is committed`() async throws
  {
    let folder = try ScratchFolder()
    let path = folder.file("out")
    let sink = try Sink(path: path)
    try await sink.commit()
    unsafe rename(path, folder.file("moved"))
    #expect(await failure { try await sink.commit() }?.reason.contains("replaced") == true)
    try Descriptor(opening: path, O_WRONLY | O_CREAT).write("mine")
    #expect(await failure { try await sink.end() }?.reason.contains("replaced") == true)
    await sink.discard()
    #expect(try folder.text("out") == "mine")
  }

  @Test(arguments: [O_TRUNC, O_APPEND]) func `a file that others change is a failure`(
    flag: Int32
  ) async throws {
    let folder = try ScratchFolder()
    let sink = try Sink(path: folder.file("out"))
    try await sink.write(Array("one\n".utf8))
    try await sink.commit()
    // As a shell's redirection does.
    try Descriptor(opening: folder.file("out"), O_WRONLY | flag).write("other")
    #expect(await failure { try await sink.commit() }?.reason.contains("changed") == true)
  }

  @Test func `a file that was made is discarded`() async throws {
    let folder = try ScratchFolder()
    await (try Sink(path: folder.file("out"))).discard()
    #expect(throws: SystemError(ENOENT)) { try folder.text("out") }
  }

  @Test func `one that cannot be made is a failure`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("out")
    _ = try Sink(path: path)
    let error = #expect(throws: OutputError.self) { _ = try Sink(path: "\(path)/below") }
    #expect(error?.reason == "Not a directory")
    #expect(error?.description == "\(path)/below: Not a directory")
  }

  @Test func `a device that is full is a failure with its reason`() async throws {
    let sink = try Sink(path: "/dev/full")
    let failure = await failure { try await sink.write([1, 2, 3]) }
    #expect(failure?.reason == "No space left on device")
    #expect(failure?.isClosedPipe == false)
  }

  @Test func `a pipe whose reader is gone is told apart`() async throws {
    signal(SIGPIPE, SIG_IGN)
    let folder = try ScratchFolder()
    let path = folder.file("pipe")
    #expect(unsafe mkfifo(path, 0o600) == 0)
    let reader = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    let sink = try Sink(path: path)
    close(reader)
    let failure = await failure { try await sink.write([1]) }
    #expect(failure?.isClosedPipe == true)
  }

  @Test func `a slow reader of a pipe gets everything`() async throws {
    let folder = try ScratchFolder()
    let path = folder.file("pipe")
    #expect(unsafe mkfifo(path, 0o600) == 0)
    let reader = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    defer { close(reader) }
    let sink = try Sink(path: path)
    let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
    async let writing: Void = sink.write(bytes)
    var read: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 9_999)
    try await waitUntil {
      let count = unsafe Glibc.read(reader, &chunk, chunk.count)
      if count > 0 { read += chunk.prefix(count) }
      return read.count >= bytes.count
    }
    try await writing
    #expect(read == bytes)
  }

  @Test func `what a full disk cut off is taken back`() async throws {
    signal(SIGXFSZ, SIG_IGN)
    let folder = try ScratchFolder()
    let path = folder.file("out")
    let sink = try Sink(path: path)
    // A file of this size takes no room, and no other test writes one.
    let limit = 1 << 40
    let descriptor = try #require(openDescriptor(of: path))
    #expect(ftruncate(descriptor, off_t(limit - 10)) == 0 && lseek(descriptor, 0, SEEK_END) > 0)
    try await sink.write([1, 2, 3])
    var old = rlimit()
    unsafe getrlimit(Int32(RLIMIT_FSIZE.rawValue), &old)
    var low = rlimit(rlim_cur: rlim_t(limit), rlim_max: old.rlim_max)
    #expect(unsafe setrlimit(Int32(RLIMIT_FSIZE.rawValue), &low) == 0)
    defer { unsafe setrlimit(Int32(RLIMIT_FSIZE.rawValue), &old) }
    let failure = await failure { try await sink.write([UInt8](repeating: 9, count: 100)) }
    #expect(failure?.reason == "File too large")
    #expect(lseek(descriptor, 0, SEEK_END) == off_t(limit - 7))
    // Room for less is room still.
    try await sink.write([4, 5, 6, 7])
    #expect(lseek(descriptor, 0, SEEK_END) == off_t(limit - 3))
  }

  /// This process's own descriptor of a file.
  private func openDescriptor(of path: String) -> Int32? {
    (0..<1024).first { descriptor in
      var buffer = [CChar](repeating: 0, count: 512)
      let count = unsafe readlink("/proc/self/fd/\(descriptor)", &buffer, buffer.count)
      guard count > 0 else { return false }
      return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        == path
    }
  }
}
