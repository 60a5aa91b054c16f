import Glibc
import TestSupport
import Testing

@testable import SondeSystem

@Suite struct FileLockTests {
  private func withFile<R>(_ body: (String) throws -> R) throws -> R {
    let file = try ScratchFile()
    return try withExtendedLifetime(file) { try body(file.path) }
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
