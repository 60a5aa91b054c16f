import SondeAddresses
import Foundation
import SondeRecords
import TestSupport
import Testing

@testable import SondeStore

/// Files whose bytes were overwritten.
@Suite struct StoreDamageTests {
  /// How many files to damage; `SONDE_TEST_DAMAGES` raises it.
  private static let runs =
    ProcessInfo.processInfo.environment["SONDE_TEST_DAMAGES"].flatMap { Int($0) } ?? 20

  private static let count: UInt32 = 3000

  /// A cache with answers in the database and in its log.
  private func makeCache(in folder: ScratchFolder) async {
    let store = folder.store(limits: .low)
    for first in stride(from: UInt32(0), to: Self.count, by: 100) {
      await store.save(RecordBlock(first, count: 100, isIPv6: first % 300 == 0), in: .usual)
    }
    // It is not closed, which would leave no log.
  }

  private func overwrite(_ path: String, using generator: inout SeededGenerator) throws {
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    let size = try file.seekToEnd()
    guard size > 0 else { return }
    for _ in 0..<Int.random(in: 1...30, using: &generator) {
      try file.seek(toOffset: .random(in: 0..<size, using: &generator))
      let length = Int.random(in: 1...16, using: &generator)
      try file.write(contentsOf: (0..<length).map { _ in .random(in: 0...255, using: &generator) })
    }
    if Int.random(in: 0..<8, using: &generator) == 0 {
      try file.truncate(atOffset: .random(in: 0..<size, using: &generator))
    }
    try file.close()
  }

  /// Asks for everything; what is found must be right.
  private func found(in store: Store) async -> Int {
    var count = 0
    for first in stride(from: UInt32(0), to: Self.count, by: 100) {
      let addresses = [Address].numbered(first..<first + 100, isIPv6: first % 300 == 0)
      let found = await store.lookUp(addresses, in: .usual, youngerThan: nil)
      #expect(found.block.records.map(\.address) == found.positions.map { addresses[$0] })
      #expect(found.block.cities == found.positions.map { "City \(first + UInt32($0))" })
      count += found.positions.count
    }
    return count
  }

  @Test(.timeLimit(.minutes(20)))
  func `overwritten files give right answers or none, and take new ones`() async throws {
    var generator = SeededGenerator(seed: 11)
    var (whole, partial, empty) = (0, 0, 0)
    for run in 0..<Self.runs {
      let folder = try ScratchFolder()
      await makeCache(in: folder)
      try overwrite(folder.cache, using: &generator)
      if run % 3 == 0 { try overwrite(folder.cache + "-wal", using: &generator) }
      let warnings = Shared<[String]>([])
      let store = folder.store(warnings, limits: .low)
      switch await found(in: store) {
      case Int(Self.count): whole += 1
      case 0: empty += 1
      default: partial += 1
      }
      if warnings.value.contains(where: { $0.contains("later version") }) { continue }
      for first in stride(from: UInt32(50_000), to: 52_000, by: 100) {
        await store.save(RecordBlock(first, count: 100), in: .usual)
      }
      _ = await store.page(after: nil, limit: 100_000)
      _ = await store.statistics()
      _ = await store.delete([.numbered(1)])
      // Either it is of use, or it has just been found out and moved.
      let before = warnings.value.count
      await store.save(RecordBlock(60_000, count: 100), in: .usual)
      let kept = await store.cities(.numbered(60_000..<60_100)).count
      #expect(kept == 100 || warnings.value.count > before, "run \(run)")
      _ = await found(in: store)
      await store.close()
      let moved = folder.names.filter { $0.contains("damaged") && !$0.hasSuffix("-shm") }
      #expect(moved.isEmpty == warnings.value.isEmpty, "run \(run): \(moved) \(warnings.value)")
    }
    #expect(partial > 0 && partial + whole + empty == Self.runs, "\(whole) \(partial) \(empty)")
  }

  @Test(.timeLimit(.minutes(5)))
  func `a file damaged under an open store is noticed`() async throws {
    let folder = try ScratchFolder()
    let probe = try ProbeProcess("save", folder.cache, "0", "100000")
    for _ in 0..<300 { _ = probe.nextLine() }
    // From outside, since closing the file here would drop this process's locks on it.
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: folder.cache))
    try file.write(contentsOf: Data(repeating: 0x55, count: 20_000))
    try file.close()
    let next = try ProbeProcess("save", folder.cache, "900000", "200")
    #expect(next.result() == "900199")
    for _ in 0..<300 { _ = probe.nextLine() }
    probe.kill()
    #expect(try ProbeProcess("find", folder.cache, "900000", "200").result() != "wrong")
    #expect(try ProbeProcess("find", folder.cache, "0", "100000").result() != "wrong")
  }

  @Test func `rows that are not whole count as absent`() async throws {
    let folder = try ScratchFolder()
    let store = folder.store()
    await store.save(RecordBlock(0, count: 800), in: .usual)
    await store.close()
    let database = try ForeignDatabase(folder.cache)
    let extremes = ["9223372036854775807", "-9223372036854775808", "0", "NULL", "'x'", "1e300"]
    var changes = ["answer = 'x'", "answer = x''", "answer = zeroblob(4000)", "answer = NULL"]
    for column in ["scope", "ip", "given", "uptime", "boot", "checksum"] {
      changes += ["\(column) = \(column) + 1000"] + extremes.map { "\(column) = \($0)" }
    }
    for (row, change) in changes.enumerated() {
      try database.execute("UPDATE OR REPLACE answers SET \(change) WHERE id = \(row + 1)")
    }
    let left = 800 - changes.count
    #expect(await store.cities(.numbered(0..<800), youngerThan: nil).count == left)
    #expect(await list(store) == left)
    // Numbers that leave no room for more.
    for number in ["9223372036854775807", "-9223372036854775808"] {
      try database.execute(
        "UPDATE answers SET id = \(number) WHERE id = (SELECT max(id) FROM answers)"
      )
    }
    await store.save(RecordBlock(5000, count: 100), in: .usual)
    #expect(await store.cities(.numbered(5000..<5100)).count == 100)
    #expect(await store.statistics() != nil)
    _ = await list(store)
    await store.close()
  }

  @Test func `scopes with any number, and damaged ones, harm nobody`() async throws {
    let numbers = ["9223372036854775807", "-9223372036854775808", "0", "-1"]
    for change in numbers.map({ "id = \($0)" }) + ["fields = 'x'", "checksum = NULL"] {
      let folder = try ScratchFolder()
      let warnings = Shared<[String]>([])
      let store = folder.store(warnings)
      await store.save(RecordBlock(0, count: 100), in: .usual)
      try ForeignDatabase(folder.cache).execute("UPDATE scopes SET \(change)")
      #expect(await store.cities(.numbered(0..<100)).isEmpty)
      await store.save(RecordBlock(0, count: 50, city: "New"), in: .usual)
      let cities = await store.cities(.numbered(0..<100))
      #expect(cities.prefix(50) == (0..<50).map { "New \($0)" }[...], "\(change)")
      #expect(await list(store) == cities.count)
      #expect(warnings.value.isEmpty)
    }
  }

  private func list(_ store: Store) async -> Int {
    var (count, cursor) = (0, CacheCursor?.none)
    repeat {
      guard let page = await store.page(after: cursor, limit: 50) else { return -1 }
      (count, cursor) = (count + page.block.records.count, page.next)
    } while cursor != nil
    return count
  }
}
