import Glibc
import SondeOutputs
import TestSupport
import Testing

@Suite struct TakenFilesTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func write(_ name: String) -> String {
    let path = folder.file(name)
    unsafe close(open(path, O_CREAT | O_WRONLY, 0o600))
    return path
  }

  @Test func `a file has one use under all its names`() throws {
    var taken = TakenFiles()
    let (path, link) = (write("a"), folder.file("link"))
    #expect(unsafe Glibc.link(path, link) == 0)
    try taken.take(path, as: "an input", for: .reading)
    try taken.take(link, as: "a table", for: .reading)
    let error = #expect(throws: TakenFiles.ConflictError.self) {
      try taken.take(link, as: "an output", for: .writing)
    }
    #expect(error?.what == "a table")
  }

  @Test func `what another process has removed is no other file, which has its inode by now`()
    throws
  {
    var taken = TakenFiles()
    let (log, key) = (write("quota.db-wal"), folder.file("quota.key"))
    try taken.take(log, as: "the ledger of quotas", for: .writing)
    #expect(unsafe rename(log, key) == 0)
    try taken.take(key, as: "the ledger of quotas", for: .writing)
    #expect(throws: TakenFiles.ConflictError.self) {
      try taken.take(key, as: "an output", for: .writing)
    }
    // Its name is taken, whether it is there or not.
    #expect(throws: TakenFiles.ConflictError.self) {
      try taken.take(log, as: "an output", for: .writing)
    }
  }
}
