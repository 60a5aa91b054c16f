import SondeAddresses
import Foundation
import SondeRecords
import TestSupport
import Testing

@testable import SondeStore

/// Files that are not as they should be.
@Suite struct StoreFileTests {
  @Test func `nothing is made before the first use`() async throws {
    let folder = try ScratchFolder()
    let store = folder.store()
    #expect(folder.names.isEmpty)
    _ = await store.cities([.numbered(1)])
    #expect(folder.names.contains("cache.db"))
  }

  @Test func `all files are the owner's alone`() async throws {
    let folder = try ScratchFolder()
    let before = umask(0)
    defer { umask(before) }
    let store = Store(path: folder.path + "/a/b/cache.db") { _ in }
    await store.save(RecordBlock(1, count: 1), in: .usual)
    for name in ["cache.db", "cache.db-wal", "cache.db-shm", "cache.db-lock"] {
      #expect(try folder.permissions("a/b/" + name) == 0o600, "\(name)")
    }
    #expect(try folder.permissions("a") == 0o700)
    #expect(try folder.permissions("a/b") == 0o700)
  }

  @Test func `what a killed process left in the log is in the file after an end without a look`()
    async throws
  {
    let folder = try ScratchFolder()
    let killed = folder.store()
    await killed.save(RecordBlock(1, count: 1), in: .usual)
    // As they lie there when it is killed.
    let copy = try ScratchFolder()
    for name in ["cache.db", "cache.db-wal"] {
      try FileManager.default.copyItem(
        atPath: "\(folder.path)/\(name)",
        toPath: "\(copy.path)/\(name)"
      )
    }
    await copy.store().close()
    #expect(copy.names == ["cache.db"])
    #expect(await copy.store().cities([.numbered(1)]).count == 1)
    await killed.close()
  }

  @Test func `a file that others can read is made the owner's alone`() async throws {
    let folder = try ScratchFolder()
    await folder.store().save(RecordBlock(1, count: 1), in: .usual)
    unsafe chmod(folder.cache, 0o644)
    #expect(await folder.store().cities([.numbered(1)]).count == 1)
    #expect(try folder.permissions("cache.db") == 0o600)
  }

  @Test func `names with odd characters are fine, and so is a link`() async throws {
    let folder = try ScratchFolder()
    let warnings = Shared<[String]>([])
    let target = folder.path + "/ä %41?b#c.db"
    unsafe symlink(target, folder.cache)
    let store = folder.store(warnings)
    await store.save(RecordBlock(1, count: 1), in: .usual)
    let names = Set(folder.names)
    #expect(names.isSuperset(of: ["cache.db", "ä %41?b#c.db", "ä %41?b#c.db-lock"]))
    let direct = Store(path: target) { warnings.append($0) }
    #expect(await direct.cities([.numbered(1)]).count == 1)
    #expect(warnings.value.isEmpty)
  }

  @Test func `a relative path is fine`() async throws {
    let folder = try ScratchFolder()
    let levels = FileManager.default.currentDirectoryPath.split(separator: "/").count
    let root = String(repeating: "../", count: levels)
    let store = Store(path: root + folder.path.dropFirst() + "/x/cache.db") { _ in }
    await store.save(RecordBlock(1, count: 1), in: .usual)
    #expect(await store.cities([.numbered(1)]).count == 1)
    #expect(folder.names == ["x"])
  }

  private struct Foreign: CustomTestStringConvertible {
    var testDescription: String
    var make: @Sendable (String) throws -> Void
  }

  @Test(arguments: [
    Foreign(testDescription: "a text") { path in
      try Data("Dear diary, today I had pancakes.\n".utf8).write(to: URL(fileURLWithPath: path))
    },
    Foreign(testDescription: "a large text") { path in
      try Data(repeating: 65, count: 50_000).write(to: URL(fileURLWithPath: path))
    },
  ])
  private func `a file that is no database is moved aside whole`(_ foreign: Foreign) async throws {
    let folder = try ScratchFolder()
    try foreign.make(folder.cache)
    let before = try folder.bytes("cache.db")
    let warnings = Shared<[String]>([])
    let store = Store(path: folder.cache, mayReplace: true) { warnings.append($0) }
    await store.save(RecordBlock(1, count: 1), in: .usual)
    #expect(await store.cities([.numbered(1)]).count == 1)
    let moved = try #require(folder.names.first { $0.hasPrefix("cache.db.damaged-") })
    #expect(try folder.bytes(moved) == before)
    #expect(warnings.value.count == 1)
    #expect(warnings.value.first?.contains("\(folder.path)/\(moved)") == true)
  }

  @Test func `a file of others is left alone, also when it comes to lie beside a lock`()
    async throws
  {
    let folder = try ScratchFolder()
    let text = Data(repeating: 65, count: 50_000)
    for hasLock in [false, true] {
      try text.write(to: URL(fileURLWithPath: folder.cache))
      if hasLock { try Data().write(to: URL(fileURLWithPath: folder.cache + "-lock")) }
      let names = folder.names
      let warnings = Shared<[String]>([])
      let store = folder.store(warnings)
      for _ in 0..<3 {
        await store.save(RecordBlock(1, count: 1), in: .usual)
        #expect(await store.cities([.numbered(1)]).isEmpty)
      }
      #expect(try Data(contentsOf: URL(fileURLWithPath: folder.cache)) == text)
      #expect(folder.names == names)
      #expect(warnings.value.count == 1)
    }
  }

  @Test func `the first page knows whose it is`() async throws {
    let folder = try ScratchFolder()
    await folder.store().save(RecordBlock(1, count: 1), in: .usual)
    let page = try #require(FileBeginning(path: folder.cache))
    #expect(page.isDatabase && page.isOurs(.answers) && !page.isEmpty)
    for trace in Schema.answers.traces.prefix(2) {
      try Data([UInt8](trace.utf8) + [0]).write(to: URL(fileURLWithPath: folder.path + "/rest"))
      #expect(FileBeginning(path: folder.path + "/rest")?.isOurs(.answers) == true)
      #expect(
        try ForeignDatabase(folder.cache).number(
          "SELECT count(*) FROM sqlite_schema WHERE instr(sql, '\(trace)') = 1"
        ) == 1
      )
    }
  }

  @Test(arguments: ["CREATE TABLE diary (day, words)", "PRAGMA application_id = 7"])
  func `a database of another program is left alone`(made sql: String) async throws {
    let folder = try ScratchFolder()
    try ForeignDatabase(folder.cache).execute(sql + "; CREATE TABLE answers (id)")
    let before = try folder.bytes("cache.db")
    let warnings = Shared<[String]>([])
    let store = folder.store(warnings)
    for _ in 0..<3 {
      await store.save(RecordBlock(1, count: 1), in: .usual)
      #expect(await store.cities([.numbered(1)]).isEmpty)
    }
    #expect(try folder.bytes("cache.db") == before)
    #expect(warnings.value.count == 1)
  }

  @Test func `a file of a later version is left alone`() async throws {
    let folder = try ScratchFolder()
    let first = folder.store()
    await first.save(RecordBlock(1, count: 1), in: .usual)
    await first.close()
    try ForeignDatabase(folder.cache).execute("PRAGMA user_version = 3")
    let before = try folder.bytes("cache.db")
    let warnings = Shared<[String]>([])
    let store = folder.store(warnings)
    for _ in 0..<3 {
      await store.save(RecordBlock(2, count: 1), in: .usual)
      #expect(await store.cities(.numbered(1..<3)).isEmpty)
    }
    #expect(try folder.bytes("cache.db") == before)
    #expect(!folder.names.contains { $0.contains("damaged") })
    #expect(warnings.value.count == 1)
  }

  @Test func `a file of an earlier version makes room for a new one`() async throws {
    let folder = try ScratchFolder()
    let database = try ForeignDatabase(folder.cache)
    try database.execute(
      """
      PRAGMA journal_mode = WAL; PRAGMA application_id = \(Schema.answers.applicationID);
      PRAGMA user_version = 1; CREATE TABLE ledger (key TEXT); INSERT INTO ledger VALUES ('weak');
      """
    )
    let warnings = Shared<[String]>([])
    let stores = [folder.store(warnings), folder.store(warnings)]
    await stores[0].save(RecordBlock(1, count: 1), in: .usual)
    for store in stores { #expect(await store.cities([.numbered(1)]).count == 1) }
    #expect(warnings.value.count == 1 && warnings.value[0].contains("earlier version"))
    for store in stores { await store.close() }
    #expect(folder.names == ["cache.db"])
    #expect(try !folder.bytes("cache.db").contains("weak".utf8))
  }

  @Test func `a listing does not go on in another file`() async throws {
    let folder = try ScratchFolder()
    let store = folder.store()
    await store.save(RecordBlock(0, count: 20), in: .usual)
    let cursor = try #require(await store.page(after: nil, limit: 5)?.next)
    #expect(await store.page(after: cursor, limit: 5)?.block.records.count == 5)
    for name in folder.names {
      try FileManager.default.moveItem(
        atPath: "\(folder.path)/\(name)",
        toPath: "\(folder.path)/old-\(name)"
      )
    }
    await folder.store().save(RecordBlock(0, count: 20), in: .usual)
    #expect(await store.page(after: cursor, limit: 5) == nil)
    #expect(await store.page(after: nil, limit: 5)?.block.records.count == 5)
  }

  @Test func `where there can be no file, there is none`() async throws {
    let folder = try ScratchFolder()
    try Data().write(to: URL(fileURLWithPath: folder.path + "/file"))
    let paths = ["/file/cache.db", "/file/below/cache.db", "", "/"].map { folder.path + $0 }
    for path in paths + ["/proc/sonde/cache.db"] {
      let warnings = Shared<[String]>([])
      let store = Store(path: path) { warnings.append($0) }
      for _ in 0..<3 {
        await store.save(RecordBlock(1, count: 1), in: .usual)
        #expect(await store.cities([.numbered(1)]).isEmpty)
        #expect(await store.delete([.numbered(1)]) == nil)
        #expect(await store.page(after: nil, limit: 1) == nil)
        #expect(await store.entries(of: [.numbered(1)]) == nil)
        #expect(await store.statistics() == nil)
        #expect(await store.clear() == false)
      }
      await store.close()
      #expect(warnings.value.count == 1, "\(path): \(warnings.value)")
    }
  }

  @Test(.enabled(if: geteuid() == 0, "only the superuser can become somebody else"))
  func `a file that may only be read is read`() async throws {
    let folder = try ScratchFolder()
    _ = try ProbeProcess("save", folder.cache, "0", "50").result()
    let store = folder.store()
    await store.writeBack()
    await store.close()
    unsafe chmod(folder.path, 0o755)
    unsafe chmod(folder.cache, 0o644)
    let names = folder.names
    #expect(try ProbeProcess("as=65534", "find", folder.cache, "0", "60").result() == "50")
    #expect(try ProbeProcess("as=65534", "hold", folder.path).nextLine() == "none")
    _ = try ProbeProcess("as=65534", "save", folder.cache, "50", "5").result()
    #expect(folder.names == names)
    unsafe chmod(folder.cache, 0o600)
    #expect(try ProbeProcess("as=65534", "find", folder.cache, "0", "60").result() == "0")
    unsafe chmod(folder.path, 0o700)
    #expect(try ProbeProcess("as=65534", "find", folder.cache, "0", "60").result() == "0")
    #expect(await store.cities(.numbered(0..<60), youngerThan: nil).count == 50)
  }

  @Test(.enabled(if: geteuid() == 0, "only the superuser can make a small disk"))
  func `a full disk costs what it cannot hold, and no more`() async throws {
    let folder = try ScratchFolder()
    let mount = "\(folder.path)/small"
    unsafe mkdir(mount, 0o700)
    let isMounted = unsafe Glibc.mount("tmpfs", mount, "tmpfs", 0, "size=1m") == 0
    try #require(isMounted)
    defer { unsafe umount2(mount, lazyUnmount) }
    let warnings = Shared<[String]>([])
    let store = Store(path: mount + "/cache.db") { warnings.append($0) }
    await store.save(RecordBlock(0, count: 100), in: .usual)
    try Data(count: 400_000).write(to: URL(fileURLWithPath: mount + "/ballast"))
    for round in UInt32(1)..<100 {
      await store.save(RecordBlock(round * 100, count: 100), in: .usual)
    }
    #expect(warnings.value.count == 1)
    #expect(await store.cities(.numbered(0..<100)).count == 100)
    try FileManager.default.removeItem(atPath: mount + "/ballast")
    await store.save(RecordBlock(70_000, count: 100), in: .usual)
    #expect(await store.cities(.numbered(70_000..<70_100)).count == 100)
  }
}

/// `MNT_DETACH` (umount2(2)).
private let lazyUnmount: Int32 = 2
