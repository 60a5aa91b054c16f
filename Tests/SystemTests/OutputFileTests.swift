import Glibc
import TestSupport
import Testing

@testable import SondeSystem

@Suite struct OutputFileTests {
  @Test func `a file that cannot be locked is not written without a lock`() throws {
    let file = try ScratchFile()
    // O_PATH: nothing can be done with what the descriptor leads to (open(2)).
    let flags: Int32 = 0o10_000_000
    #expect(throws: OutputFileError.unlockable(SystemError(EBADF))) {
      _ = try OutputFile(opening: file.path, flags)
    }
  }

  @Test(arguments: [
    (EINVAL, true), (ENOSYS, true), (EOPNOTSUPP, true), (ENOLCK, false), (EBADF, false),
    (EIO, false), (EDEADLK, false),
  ])
  func `only a file system without locks goes without`(code: Int32, isWithout: Bool) {
    #expect(OutputFile.codesWithoutLocks.contains(code) == isWithout)
  }
}
