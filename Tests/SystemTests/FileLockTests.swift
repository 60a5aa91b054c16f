import Glibc
import Testing

@testable import System

@Suite struct FileLockTests {
  private func withFile<R>(_ body: (String) throws -> R) throws -> R {
    var template = Array("/tmp/sonde-lock-XXXXXX".utf8CString)
    let descriptor = unsafe mkstemp(&template)
    close(descriptor)
    let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer { unsafe unlink(path) }
    return try body(path)
  }

  @Test func `a lock keeps every other open file away until it ends`() throws {
    try withFile { path in
      let second = try Descriptor(opening: path, O_RDWR)
      do {
        let first = try Descriptor(opening: path, O_RDWR)
        #expect(try FileLock.tryLock(first.number))
        #expect(try !FileLock.tryLock(second.number))
        #expect(try FileLock.isHeld(second.number))
        #expect(try FileLock.isHeld(second.number, .byte(7)))
        withExtendedLifetime(first) {}
      }
      #expect(try !FileLock.isHeld(second.number))
      #expect(try FileLock.tryLock(second.number))
    }
  }

  @Test func `bytes are locked one by one`() throws {
    try withFile { path in
      let first = try Descriptor(opening: path, O_RDWR)
      let second = try Descriptor(opening: path, O_RDWR)
      #expect(try FileLock.tryLock(first.number, .byte(1)))
      #expect(try FileLock.tryLock(second.number, .byte(1 << 62)))
      #expect(try !FileLock.tryLock(second.number, .byte(1)))
      FileLock.unlock(first.number, .byte(1))
      #expect(try FileLock.tryLock(second.number, .byte(1)))
    }
  }

  @Test func `another fault than a lock of somebody else is no lock`() throws {
    try withFile { path in
      let reading = try Descriptor(opening: path, O_RDONLY)
      #expect(throws: SystemError(EBADF)) { try FileLock.tryLock(reading.number) }
    }
  }
}
