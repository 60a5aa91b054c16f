import Foundation
import TestSupport
import Testing

@testable import SondeStore

@Suite struct LedgerTests {
  @Test func `a row keeps its bytes until they are taken away`() async throws {
    let folder = try ScratchFolder()
    let ledger = folder.ledger()
    #expect(await ledger.update("a") { $0.bytes }.result == [])
    #expect(await ledger.update("a") { $0.bytes = [1, 2, 3] }.result != nil)
    await ledger.close()
    #expect(folder.names == ["quota.db", "quota.key"])
    #expect(await ledger.update("a") { $0.bytes }.result == [1, 2, 3])
    #expect(await ledger.update("b") { $0.bytes }.result == [])
    _ = await ledger.update("a") { $0.bytes = [] }.result
    #expect(await ledger.update("a") { $0.bytes }.result == [])
  }

  @Test func `who looks at a row makes no file, and sees what others have written`() async throws {
    let folder = try ScratchFolder()
    let (ledger, other) = (folder.ledger(), folder.ledger())
    #expect(await other.row(of: "a")?.bytes == [])
    #expect(folder.names == [])
    _ = await ledger.update("a") { $0.bytes = [1, 2, 3] }.result
    #expect(await other.row(of: "a")?.bytes == [1, 2, 3])
    #expect(await other.row(of: "b")?.bytes == [])
    await ledger.close()
    #expect(await other.row(of: "a")?.bytes == [1, 2, 3])
    #expect(folder.names == ["quota.db", "quota.key"])
  }

  @Test func `all rows can be looked at and changed without their names`() async throws {
    let folder = try ScratchFolder()
    let (ledger, other) = (folder.ledger(), folder.ledger())
    #expect(try await other.records().isEmpty && folder.names == [])
    for (name, bytes) in [("a", [1, 2]), ("b", [3]), ("c", [4])] as [(String, [UInt8])] {
      _ = await ledger.update(name) { $0.bytes = bytes }
    }
    let records = try await other.records()
    #expect(Set(records.map(\.row.bytes)) == [[1, 2], [3], [4]])
    for record in records where record.row.bytes != [4] {
      let change = await other.change(record.key) { row in
        row.bytes = row.bytes == [3] ? [] : [9]
        return row.bytes.count
      }
      #expect(change.result == (record.row.bytes == [3] ? 0 : 1))
    }
    #expect(await ledger.row(of: "a")?.bytes == [9])
    #expect(await ledger.row(of: "b")?.bytes == [])
    #expect(try await other.records().map(\.row.bytes).sorted { $0[0] < $1[0] } == [[4], [9]])
    await ledger.close()
    await other.close()
    let database = try ForeignDatabase(folder.quotas)
    try database.execute("UPDATE quotas SET state = x'05' WHERE state = x'04'")
    #expect(try await other.records().map(\.row.bytes) == [[9]])
  }

  @Test func `a file that is no ledger is a fault`() async throws {
    let folder = try ScratchFolder()
    try Data(repeating: 7, count: 9000).write(to: URL(fileURLWithPath: folder.quotas))
    await #expect(throws: LedgerFault.self) { try await folder.ledger().records() }
  }

  @Test func `a damaged row counts as absent`() async throws {
    let folder = try ScratchFolder()
    let ledger = folder.ledger()
    _ = await ledger.update("a") { $0.bytes = [1, 2, 3] }.result
    _ = await ledger.update("b") { $0.bytes = [4] }.result
    await ledger.close()
    let database = try ForeignDatabase(folder.quotas)
    try database.execute("UPDATE quotas SET state = x'010204' WHERE state = x'010203'")
    #expect(await ledger.update("a") { $0.bytes }.result == [])
    #expect(await ledger.update("b") { $0.bytes }.result == [4])
  }

  @Test func `a row moved to another account counts as absent`() async throws {
    let folder = try ScratchFolder()
    let ledger = folder.ledger()
    _ = await ledger.update("a") { $0.bytes = [1, 2, 3] }.result
    _ = await ledger.update("b") { $0.bytes = [4] }.result
    await ledger.close()
    let database = try ForeignDatabase(folder.quotas)
    try database.execute(
      "UPDATE quotas SET (state, checksum) = (SELECT state, checksum FROM quotas WHERE state = x'04')"
    )
    #expect(await ledger.update("a") { $0.bytes }.result == [])
    #expect(await ledger.update("b") { $0.bytes }.result == [4])
  }

  @Test func `an account is known by its keyed hash alone`() async throws {
    let folder = try ScratchFolder()
    let ledger = folder.ledger()
    _ = await ledger.update("ipinfo 12345678901234") { $0.bytes = [1] }.result
    await ledger.close()
    #expect(try folder.permissions("quota.key") == 0o600)
    #expect(try folder.bytes("quota.key").count == 32)
    #expect(try !folder.bytes("quota.db").contains("1234567890".utf8))
    // With another key it is another account.
    try FileManager.default.removeItem(atPath: folder.path + "/quota.key")
    #expect(await folder.ledger().update("ipinfo 12345678901234") { $0.bytes }.result == [])
  }

  @Test func `a key that is cut is made anew, and one that others can read is closed to them`()
    async throws
  {
    let folder = try ScratchFolder()
    _ = await folder.ledger().update("a") { $0.bytes = [1] }.result
    unsafe chmod(folder.path + "/quota.key", 0o644)
    #expect(await folder.ledger().update("a") { $0.bytes }.result == [1])
    #expect(try folder.permissions("quota.key") == 0o600)
    try Data([1, 2]).write(to: URL(fileURLWithPath: folder.path + "/quota.key"))
    #expect(await folder.ledger().update("a") { $0.bytes }.result == [])
    #expect(try folder.bytes("quota.key").count == 32)
  }

  @Test func `a ledger is alive while it is open`() async throws {
    let folder = try ScratchFolder()
    let (one, two) = (folder.ledger(), folder.ledger())
    let holders = (one.holder, two.holder)
    func seen(by ledger: Ledger) async -> [Bool]? {
      await ledger.update("row") { row in [holders.0, holders.1, 1, 0, .max].map(row.isAlive) }
        .result
    }
    #expect(await seen(by: one) == [true, false, false, false, false])
    #expect(await seen(by: two) == [true, true, false, false, false])
    #expect(await seen(by: one) == [true, true, false, false, false])
    await two.close()
    #expect(await seen(by: one) == [true, false, false, false, false])
    #expect(await seen(by: two) == [true, true, false, false, false])
  }

  @Test(.timeLimit(.minutes(2)))
  func `processes change one row in turn, and begin with one key`() async throws {
    let folder = try ScratchFolder()
    let probes = try (0..<4).map { _ in try ProbeProcess("count", folder.path, "sum", "200") }
    #expect(probes.map { $0.result() } == ["0", "0", "0", "0"])
    let sum = await folder.ledger().update("sum") { String(decoding: $0.bytes, as: UTF8.self) }
      .result
    #expect(sum == "800")
  }

  @Test(.timeLimit(.minutes(2)))
  func `a process that was killed is dead at once`() async throws {
    let folder = try ScratchFolder()
    let ledger = folder.ledger()
    let probe = try ProbeProcess("hold", folder.path)
    let holder = try #require(probe.nextLine().flatMap { UInt64($0) })
    #expect(await ledger.update("row") { $0.isAlive(holder) }.result == true)
    probe.kill()
    #expect(await ledger.update("row") { $0.isAlive(holder) }.result == false)
  }

  @Test func `a key that cannot be read stays, and says why`() async throws {
    let folder = try ScratchFolder()
    let key = folder.path + "/quota.key"
    try FileManager.default.createDirectory(atPath: key, withIntermediateDirectories: false)
    let warnings = Shared<[String]>([])
    let ledger = Ledger(folder: folder.path) { warnings.append($0) }
    #expect(await ledger.update("row") { _ in 1 }.result == nil)
    #expect(warnings.value.contains { $0.contains("quota.key: Is a directory") })
    await ledger.close()
    #expect(FileManager.default.fileExists(atPath: key))
  }

  @Test func `a folder that was deleted is made anew`() async throws {
    let folder = try ScratchFolder()
    let warnings = Shared<[String]>([])
    let ledger = Ledger(folder: folder.path + "/inner") { warnings.append($0) }
    _ = await ledger.update("row") { $0.bytes = [1] }.result
    try FileManager.default.removeItem(atPath: folder.path + "/inner")
    #expect(await ledger.update("row") { $0.isAlive(ledger.holder) }.result == true)
    #expect(warnings.value.isEmpty)
  }

  @Test func `where there can be no file, there is none`() async throws {
    let folder = try ScratchFolder()
    try Data().write(to: URL(fileURLWithPath: folder.path + "/file"))
    for path in [folder.path + "/file", folder.path + "/file/below", "/proc/sonde"] {
      let warnings = Shared<[String]>([])
      let ledger = Ledger(folder: path) { warnings.append($0) }
      for _ in 0..<3 { #expect(await ledger.update("row") { _ in 1 }.result == nil) }
      await ledger.close()
      #expect(warnings.value.count == 1, "\(path): \(warnings.value)")
    }
  }
}
