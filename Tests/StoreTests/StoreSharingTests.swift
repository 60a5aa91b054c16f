import SondeAddresses
import Foundation
import SondeRecords
import SondeSystem
import TestSupport
import Testing

@testable import SondeStore

/// Several stores, and several processes, at one file.
@Suite struct StoreSharingTests {
  @Test func `stores find at once what others save`() async throws {
    let folder = try ScratchFolder()
    let stores = (0..<4).map { _ in folder.store(limits: .low) }
    for round in UInt32(0)..<20 {
      await stores[Int(round % 4)].save(RecordBlock(round * 100, count: 100), in: .usual)
      for store in stores {
        #expect(await store.cities(.numbered(round * 100..<round * 100 + 100)).count == 100)
      }
    }
  }

  @Test(.timeLimit(.minutes(2)))
  func `stores save and look up at the same time`() async throws {
    let folder = try ScratchFolder()
    let warnings = Shared<[String]>([])
    await withTaskGroup { group in
      for number in UInt32(0)..<4 {
        let store = folder.store(warnings, limits: .low)
        group.addTask {
          for round in UInt32(0)..<30 {
            let first = number * 100_000 + round * 50
            await store.save(RecordBlock(first, count: 50), in: .usual)
            #expect(await store.cities(.numbered(first..<first + 50)).count == 50)
          }
          await store.close()
        }
      }
    }
    let store = folder.store(warnings)
    for number in UInt32(0)..<4 {
      let first = number * 100_000
      #expect(await store.cities(.numbered(first..<first + 1500)).count == 1500)
    }
    #expect(await store.statistics()?.answers == 6000)
    #expect(warnings.value.isEmpty)
  }

  @Test func `a log that another process writes back is left to it, without a word`() async throws {
    let folder = try ScratchFolder()
    let warnings = Shared<[String]>([])
    let store = folder.store(warnings, limits: .low)
    await store.save(RecordBlock(0, count: 1), in: .usual)
    // SQLite's lock of who writes back (https://www.sqlite.org/walformat.html, 2.3.1).
    let index = try Descriptor(opening: folder.cache + "-shm", O_RDWR)
    #expect(try FileLock.tryLock(index.number, .byte(121)))
    await store.save(RecordBlock(1, count: 1000), in: .usual)
    await store.writeBack()
    #expect(warnings.value.isEmpty)
    FileLock.unlock(index.number, .byte(121))
    await store.close()
  }

  @Test(.timeLimit(.minutes(2)))
  func `processes that begin at once share one file`() async throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/not/there/cache.db"
    let probes = try (0..<6).map { try ProbeProcess("save", path, "\($0 * 100)", "100") }
    for probe in probes { _ = probe.result() }
    #expect(try ProbeProcess("find", path, "0", "700").result() == "600")
  }

  @Test(.timeLimit(.minutes(2)))
  func `what was told to be saved is there after a process was killed`() async throws {
    let folder = try ScratchFolder()
    for round in 0..<5 {
      let first = round * 1_000_000
      let probe = try ProbeProcess("save", folder.cache, "\(first)", "1000000")
      var last = first - 1
      for _ in 0..<(20 + 100 * round) { last = probe.nextLine().flatMap { Int($0) } ?? last }
      probe.kill()
      while let line = probe.nextLine() { last = Int(line) ?? last }
      let count = last + 1 - first
      #expect(count >= 20)
      let found = try ProbeProcess("find", folder.cache, "\(first)", "\(count)").result()
      #expect(found == "\(count)")
    }
    let database = try ForeignDatabase(folder.cache)
    #expect(try database.text("PRAGMA integrity_check") == "ok")
  }

  @Test func `a file that was deleted is made anew`() async throws {
    let folder = try ScratchFolder()
    let warnings = Shared<[String]>([])
    let (one, two) = (folder.store(warnings), folder.store(warnings))
    await one.save(RecordBlock(1, count: 100), in: .usual)
    #expect(await two.cities([.numbered(1)]).count == 1)
    // Its log stays, which must not be taken for that of the new one.
    try FileManager.default.removeItem(atPath: folder.cache)
    #expect(await one.cities([.numbered(1)]).isEmpty)
    await two.save(RecordBlock(500, count: 100), in: .usual)
    #expect(await one.cities(.numbered(500..<600)).count == 100)
    await one.save(RecordBlock(700, count: 100), in: .usual)
    for store in [one, two] { #expect(await store.cities(.numbered(700..<800)).count == 100) }
    #expect(try ForeignDatabase(folder.cache).text("PRAGMA integrity_check") == "ok")
    #expect(warnings.value.isEmpty)
  }

  @Test func `a folder that was deleted is made anew`() async throws {
    let folder = try ScratchFolder()
    let warnings = Shared<[String]>([])
    let path = folder.path + "/inner/cache.db"
    let store = Store(path: path) { warnings.append($0) }
    await store.save(RecordBlock(1, count: 1), in: .usual)
    try FileManager.default.removeItem(atPath: folder.path + "/inner")
    await store.save(RecordBlock(2, count: 1), in: .usual)
    #expect(await store.cities(.numbered(1..<3)) == ["City 2"])
    #expect(warnings.value.isEmpty)
  }

  @Test func `a file put in its place is used`() async throws {
    let folder = try ScratchFolder()
    let (one, other) = (folder.store(), Store(path: folder.path + "/other.db") { _ in })
    await one.save(RecordBlock(1, count: 1, city: "One"), in: .usual)
    await other.save(RecordBlock(1, count: 1, city: "Other"), in: .usual)
    await other.close()
    for suffix in ["-wal", "-shm", ""] {
      try FileManager.default.removeItem(atPath: folder.cache + suffix)
    }
    try FileManager.default.moveItem(atPath: folder.path + "/other.db", toPath: folder.cache)
    #expect(await one.cities([.numbered(1)]) == ["Other 1"])
  }

  @Test func `the file alone is the whole cache after the last one has closed it`() async throws {
    let folder = try ScratchFolder()
    let stores = (0..<3).map { _ in folder.store() }
    for (index, store) in stores.enumerated() {
      await store.save(RecordBlock(UInt32(index) * 100, count: 100), in: .usual)
    }
    await withTaskGroup { group in
      for store in stores { group.addTask { await store.close() } }
    }
    #expect(folder.names == ["cache.db"])
    try FileManager.default.copyItem(atPath: folder.cache, toPath: folder.path + "/copy.db")
    let copy = Store(path: folder.path + "/copy.db") { _ in }
    #expect(await copy.cities(.numbered(0..<300)).count == 300)
  }

  @Test(.timeLimit(.minutes(1)))
  func `a lock of another program is waited for once, told once, and then hardly`() async throws {
    let folder = try ScratchFolder()
    let warnings = Shared<[String]>([])
    let store = folder.store(warnings)
    await store.save(RecordBlock(0, count: 10), in: .usual)
    let other = try ForeignDatabase(folder.cache)
    try other.execute("BEGIN IMMEDIATE")
    let clock = ContinuousClock()
    let first = await clock.measure { await store.save(RecordBlock(10, count: 10), in: .usual) }
    #expect(first < .seconds(4))
    let more = await clock.measure {
      for number in UInt32(2)..<12 {
        await store.save(RecordBlock(10 * number, count: 10), in: .usual)
        #expect(await store.cities(.numbered(0..<10)).count == 10)
      }
    }
    #expect(more < .seconds(2))
    #expect(warnings.value.count == 1)
    try other.execute("COMMIT")
    await store.save(RecordBlock(500, count: 10), in: .usual)
    #expect(await store.cities(.numbered(0..<1000)).count == 20)
    try other.execute("BEGIN IMMEDIATE")
    let saving = Task { await store.save(RecordBlock(600, count: 10), in: .usual) }
    try await Task.sleep(for: .milliseconds(100))
    #expect(await clock.measure { await store.close() } < .milliseconds(1500))
    await saving.value
    #expect(warnings.value.count == 1)
  }
}
