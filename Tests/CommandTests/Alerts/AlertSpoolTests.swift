import Foundation
import TestSupport
import Testing

@testable import SondeAlerts
@testable import sonde

@Suite struct AlertSpoolTests {
  private let scratch: ScratchFolder
  /// A folder that does not exist yet.
  private let parent: URL

  init() throws {
    scratch = try ScratchFolder()
    parent = URL(filePath: scratch.file("parent"))
  }

  private func spool(_ receiver: String = "r") async throws -> AlertSpool {
    try await AlertSpool(in: parent.path, for: receiver, console: silentConsole)
  }

  private func body(_ number: Int) -> [UInt8] { Array("{\"n\":\(number)}".utf8) }

  /// Everything in a spool, which is empty after.
  private func drain(_ spool: AlertSpool) async -> [[UInt8]] {
    var bodies: [[UInt8]] = []
    while let alert = await spool.first {
      bodies.append(alert.body)
      await spool.remove(alert.number)
    }
    return bodies
  }

  @Test func `alerts come out in order, also in another process`() async throws {
    do {
      let first = try await spool()
      for number in 1...12 { await first.append(body(number)) }
      await first.remove(1)
    }
    let second = try await spool()
    await second.append(body(13))
    #expect(await drain(second) == (2...13).map(body))
    #expect(await drain(try await spool()) == [])
  }

  @Test func `receivers have spools of their own`() async throws {
    let (one, other) = (try await spool("one"), try await spool("other"))
    await one.append(body(1))
    #expect(await drain(other) == [])
    #expect(await drain(one) == [body(1)])
  }

  @Test func `a folder's name tells nothing of the receiver without the key`() async throws {
    defer { try? FileManager.default.removeItem(at: parent) }
    let name = try await spool("https://example.net/?key=1").path
    #expect(try await spool("https://example.net/?key=1").path == name)
    let key = parent.appendingPathComponent("quota.key")
    #expect(try Data(contentsOf: key).count == 32)
    try FileManager.default.removeItem(at: key)
    #expect(try await spool("https://example.net/?key=1").path != name)
  }

  @Test func `two at once do not share, and what both leave is found`() async throws {
    do {
      let (one, other) = (try await spool(), try await spool())
      await one.append(body(1))
      await other.append(body(2))
      let third = try await spool()
      #expect(await third.first == nil)
    }
    #expect(await drain(try await spool()) == [body(1), body(2)])
    #expect(await drain(try await spool()) == [])
  }

  @Test func `what another has left is moved, and is in one of both folders at every moment`()
    async throws
  {
    let folder = parent.appendingPathComponent("x")
    let sibling = parent.appendingPathComponent("x-2")
    do {
      let (own, other) = (
        try SpoolFolder(in: parent.path, name: "x"), try SpoolFolder(in: parent.path, name: "x")
      )
      #expect(own.write(body(1), as: 7) == nil && other.write(body(2), as: 3) == nil)
      #expect(other.write(body(3), as: 4) == nil)
    }
    let spool = try SpoolFolder(in: parent.path, name: "x")
    let before = try inode(sibling, 3)
    spool.adoptAbandoned()
    #expect(spool.numbers() == [7, 8, 9])
    #expect([7, 8, 9].map { spool.read($0) } == [body(1), body(2), body(3)])
    // The same file, not a copy that was written after the first was removed, or before.
    #expect(try inode(folder, 8) == before)
    #expect(try FileManager.default.contentsOfDirectory(atPath: sibling.path) == ["lock"])
  }

  private func inode(_ folder: URL, _ number: Int) throws -> UInt64? {
    let path = folder.appendingPathComponent(String(format: "%012d.json", number)).path
    return try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? UInt64
  }

  @Test func `names that are no number of ours are left alone`() throws {
    let spool = try SpoolFolder(in: parent.path, name: "x")
    let names = [
      "\(Int.max).json", "99999999999999999999.json", "+00000000001.json", "1.json", ".json",
      "0000000000001.json", "000000000000.json", "999999999999999999.json", "000000000012.json",
    ]
    for name in names {
      try Data("{}".utf8).write(to: URL(fileURLWithPath: spool.path + "/" + name))
    }
    #expect(spool.numbers() == [12, 999_999_999_999_999_999])
  }

  @Test func `it knows what waits, and what would be lost`() async throws {
    let spool = try await spool()
    await spool.append(body(1))
    try FileManager.default.removeItem(at: parent)
    await spool.append(body(2))
    #expect(await spool.counts == (1, 1))
  }

  @Test func `of too many the oldest are lost`() async throws {
    let count = AlertSpool.limit + 3
    do {
      let spool = try await spool()
      for number in 1...count { await spool.append(body(number)) }
    }
    let kept = await drain(try await spool())
    #expect(kept.count == AlertSpool.limit)
    #expect(kept.first == body(4) && kept.last == body(count))
  }

  @Test func `a folder that goes away costs no alert`() async throws {
    let spool = try await spool()
    try FileManager.default.removeItem(at: parent)
    await spool.append(body(1))
    #expect(await drain(spool) == [body(1)])
  }

  @Test func `a folder that cannot be made is a failure`() async throws {
    try Data().write(to: parent)
    await #expect(throws: (any Error).self) { try await spool() }
  }
}
