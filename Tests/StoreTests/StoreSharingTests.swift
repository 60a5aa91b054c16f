import Addresses
import Foundation
import Records
import Testing

@testable import Store

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
    let warnings = Warnings()
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
    #expect(warnings.all.isEmpty)
  }

  @Test(.timeLimit(.minutes(2)))
  func `processes change one row of the ledger in turn`() async throws {
    let folder = try ScratchFolder()
    let probes = try (0..<4).map { _ in try ProbeProcess("count", folder.cache, "sum", "200") }
    #expect(probes.map { $0.result() } == ["0", "0", "0", "0"])
    let sum = await folder.store().update("sum") { String(decoding: $0.bytes, as: UTF8.self) }
    #expect(sum == "800")
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

  @Test(.timeLimit(.minutes(2)))
  func `a process that was killed is dead at once`() async throws {
    let folder = try ScratchFolder()
    let store = folder.store()
    let probe = try ProbeProcess("hold", folder.cache)
    let holder = try #require(probe.nextLine().flatMap { UInt64($0) })
    #expect(await store.update("row") { $0.isAlive(holder) } == true)
    probe.kill()
    #expect(await store.update("row") { $0.isAlive(holder) } == false)
  }

  @Test func `a file that was deleted is made anew`() async throws {
    let folder = try ScratchFolder()
    let warnings = Warnings()
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
    #expect(warnings.all.isEmpty)
  }

  @Test func `a folder that was deleted is made anew`() async throws {
    let folder = try ScratchFolder()
    let warnings = Warnings()
    let path = folder.path + "/inner/cache.db"
    let store = Store(path: path) { warnings.append($0) }
    await store.save(RecordBlock(1, count: 1), in: .usual)
    _ = await store.update("row") { $0.bytes = [1] }
    try FileManager.default.removeItem(atPath: folder.path + "/inner")
    await store.save(RecordBlock(2, count: 1), in: .usual)
    #expect(await store.cities(.numbered(1..<3)) == ["City 2"])
    #expect(await store.update("row") { $0.isAlive(store.holder) } == true)
    #expect(warnings.all.isEmpty)
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
    for suffix in ["-wal", ""] {
      try FileManager.default.moveItem(
        atPath: folder.path + "/other.db" + suffix,
        toPath: folder.cache + suffix
      )
    }
    #expect(await one.cities([.numbered(1)]) == ["Other 1"])
  }
}
