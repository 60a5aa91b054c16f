import Glibc
import TestSupport
import Testing

@testable import SondeSystem

@Suite struct WholeFileTests {
  @Test func `what is written is read, and leaves nothing beside it`() throws {
    let folder = try ScratchFolder()
    let file = WholeFile(path: folder.file("a/b"))
    for bytes in [[1, 2, 3], [], [UInt8](repeating: 7, count: 200_000)] {
      try file.write(bytes)
      #expect(try file.read(atMost: bytes.count) == bytes)
    }
    #expect(FileStatus(path: file.path)?.mode == S_IFREG | 0o600)
    #expect(names(in: folder.file("a")).filter { !$0.hasPrefix(".") } == ["b"])
  }

  @Test func `one that is too long, missing or a folder is not read`() throws {
    let folder = try ScratchFolder()
    let file = WholeFile(path: folder.file("a"))
    #expect(throws: SystemError(ENOENT)) { try file.read(atMost: 1) }
    try file.write([1, 2])
    #expect(throws: SystemError(EFBIG)) { try file.read(atMost: 1) }
    #expect(throws: SystemError(EISDIR)) { try WholeFile(path: folder.path).read(atMost: 1) }
  }

  @Test func `a failure leaves what was there`() throws {
    let folder = try ScratchFolder()
    let file = WholeFile(path: folder.file("a"))
    try WholeFile(path: folder.file("a/b")).write([1])
    #expect(throws: SystemError.self) { try file.write([2]) }
    #expect(folder.names == ["a"])
  }
}
