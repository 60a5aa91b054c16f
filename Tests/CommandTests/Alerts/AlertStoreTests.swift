import Foundation
import Synchronization
import TestSupport
import Testing

@testable import SondeAlerts

@Suite struct AlertStoreTests {
  private let scratch: ScratchFolder
  private let parent: String

  init() throws {
    scratch = try ScratchFolder()
    parent = scratch.file("parent")
  }

  private func place(_ url: String = "http://r/") throws -> AlertPlace {
    try AlertPlace(in: parent, of: url)
  }

  private func store(_ url: String = "http://r/", told: Told = Told()) throws -> AlertStore {
    AlertStore(try place(url)) { words in told.words.withLock { $0.append(words) } }
  }

  private final class Told: Sendable {
    let words = Mutex<[String]>([])
    var all: [String] { words.withLock { $0 } }
  }

  private func body(_ number: Int) -> [UInt8] { Array("{\"event\":\"test\",\"n\":\(number)}".utf8) }

  /// Everything in a queue, which is empty after.
  private func drain(_ store: AlertStore) async -> [[UInt8]] {
    var bodies: [[UInt8]] = []
    await store.renew()
    while let alert = await store.first() {
      bodies.append(alert.body)
      await store.settle(alert.name)
      await store.renew()
    }
    return bodies
  }

  private func files(_ path: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }

  @Test func `alerts come out in order, also in another run`() async throws {
    do {
      let first = try store()
      for number in 1...12 { await first.append([.init(body: body(number))]) }
      await first.renew()
      let alert = try #require(await first.first())
      #expect(alert.body == body(1))
      await first.settle(alert.name)
    }
    let second = try store()
    await second.append([.init(body: body(13))])
    #expect(await drain(second) == (2...13).map(body))
    #expect(await drain(try store()) == [])
  }

  @Test func `one sends at a time, and the others add`() async throws {
    var first: AlertStore? = try store()
    let second = try store()
    await first?.append([.init(body: body(1))])
    await first?.renew()
    await second.append([.init(body: body(2))])
    await second.renew()
    #expect(await second.first() == nil)
    #expect(await second.remaining() == (2, 0, true))
    await first?.append([.init(body: body(3))])
    first = nil
    #expect(await drain(second) == [body(1), body(2), body(3)])
  }

  @Test func `URLs have queues of their own, whose names hide them`() async throws {
    let (one, other) = (try store("https://h/?key=1"), try store("https://h/?key=2"))
    await one.append([.init(body: body(1))])
    #expect(await drain(other) == [])
    #expect(await drain(one) == [body(1)])
    let path = try #require(one.path)
    #expect(!path.contains("key"))
    try FileManager.default.removeItem(atPath: parent + "/quota.key")
    #expect(try place("https://h/?key=1").folder.path != path)
  }

  @Test func `names that are none of ours are left alone`() {
    let key = String(repeating: "a", count: 32)
    let names = [
      "1-\(key).json", "000000000000001.json", "+00000000001-\(key).json", ".json", "-.json",
      "0000000000000000001-\(key).json", "000000000001-\(key)", "000000000001-\(key)-x.json",
      "000000000001-\(key.uppercased()).json", "000000000001-\(key)a.json", "lock",
    ]
    #expect(names.filter { AlertName(file: $0) != nil } == [])
    for name in ["000000000001-\(key).json", "999999999999999999-\(key)-refused.json"] {
      #expect(AlertName(file: name)?.file == name)
    }
  }

  @Test func `a refused one is put aside, and sent again once it is moved back`() async throws {
    let path: String
    do {
      let store = try store()
      for number in 1...2 { await store.append([.init(body: body(number))]) }
      await store.renew()
      await store.refuse(try #require(await store.first()))
      #expect(await store.first()?.body == body(2))
      #expect(await store.refused == 1)
      path = try #require(store.path)
    }
    let name = try #require(files(path + "/refused").first)
    #expect(AlertName(file: name)?.isRefused == true)
    try FileManager.default.moveItem(atPath: path + "/refused/" + name, toPath: path + "/" + name)
    #expect(await drain(try store()) == [body(1), body(2)])
  }

  @Test func `the newest alert of the network is known`() async throws {
    let store = try store()
    for body in [change(to: "offline"), body(1), change(to: "degraded"), change(to: "online")] {
      await store.append([.init(body: body)])
    }
    await store.renew()
    #expect(await store.first()?.newest == change(to: "online"))
    // It matters to one of the network alone.
    await store.settle(try #require(await store.first()).name)
    #expect(await store.first()?.newest == nil)
    await store.settle(try #require(await store.first()).name)
    #expect(await store.first()?.newest == change(to: "online"))
    await store.settle(try #require(await store.first()).name)
    #expect(await store.first()?.newest == nil)
  }

  private func change(to state: String) -> [UInt8] {
    Array("{\"event\":\"network\",\"state\":\"\(state)\"}".utf8)
  }

  @Test func `an alert that was sent is never the newest of those that follow`() async throws {
    let store = try store()
    for state in ["offline", "online"] { await store.append([.init(body: change(to: state))]) }
    #expect(await drain(store) == [change(to: "offline"), change(to: "online")])
    // Of another program, which begins with 1 anew.
    let folder = try place().folder
    for (index, body) in [change(to: "offline"), body(1), body(2), body(3)].enumerated() {
      #expect(folder.write([(AlertName(number: index + 1), body)])[0] == nil)
    }
    #expect(await store.next()?.body == change(to: "offline"))
    #expect(await store.next()?.newest == nil)
  }

  @Test func `alerts that are handed over again are sent once`() async throws {
    let keys = (1...3).map { String(repeating: "\($0)", count: 32) }
    let additions = (1...3).map { AlertStore.Addition(body: body($0), key: keys[$0 - 1]) }
    do {
      let first = try store()
      #expect(await first.append(Array(additions[..<2]) + additions[..<1]))
      #expect(await drain(first) == [body(1), body(2)])
    }
    let second = try store()
    #expect(await second.append(additions))
    #expect(await second.append(additions))
    #expect(await drain(second) == [body(3)])
  }

  @Test func `what is in no queue must be kept, and is sent once`() async throws {
    let store = try store()
    let additions = (1...2).map {
      AlertStore.Addition(body: body($0), key: String(repeating: "\($0)", count: 32))
    }
    try FileManager.default.removeItem(atPath: parent)
    try Data().write(to: URL(filePath: parent))
    for _ in 1...2 { #expect(await !store.append(additions)) }
    #expect(await store.remaining() == (0, 2, false))
    await store.settle(try #require(await store.next()).name)
    #expect(await store.append(Array(additions[..<1])))
    #expect(await !store.append(additions))
    // A write that failed in the middle leaves one on disk.
    try FileManager.default.removeItem(atPath: parent)
    let third = AlertStore.Addition(body: body(3), key: String(repeating: "3", count: 32))
    #expect(await !store.append(additions + [third]))
    #expect(await drain(store) == [body(2), body(3)])
    #expect(await store.append(additions + [third]))
    #expect(await drain(store) == [])
  }

  @Test func `the last keys are known of a file of any length`() throws {
    let keys = DoneKeys(path: scratch.file("done"))
    let key = { (number: Int) in String(repeating: "0", count: 26) + String(100_000 + number) }
    let many = (1...5 * DoneKeys.most).map { key($0) + "\n" }.joined()
    try Data(many.utf8).write(to: URL(filePath: keys.path))
    keys.add(key(0))
    let kept = keys.all()
    #expect(kept.count == DoneKeys.most)
    #expect(kept.isSuperset(of: [key(0), key(5 * DoneKeys.most), key(4 * DoneKeys.most + 2)]))
  }

  @Test func `a failed write is reported once, and the alert keeps its place`() async throws {
    let told = Told()
    let store = try store(told: told)
    await store.append([.init(body: body(1))])
    let path = try #require(store.path)
    try FileManager.default.removeItem(atPath: parent)
    try Data().write(to: URL(filePath: parent))
    await store.append([.init(body: body(2))])
    await store.append([.init(body: body(3))])
    #expect(await store.remaining() == (0, 2, false))
    #expect(told.all.count == 1 && told.all[0].hasSuffix("; alerts are kept in memory only"))
    try FileManager.default.removeItem(atPath: parent)
    await store.append([.init(body: body(4))])
    #expect(files(path).count == 1)
    #expect(await drain(store) == [body(2), body(3), body(4)])
  }

  @Test func `without a place all is in memory`() async throws {
    let store = AlertStore(nil) { _ in }
    for number in 1...3 { await store.append([.init(body: body(number))]) }
    await store.refuse(try #require(await store.first()))
    #expect(await drain(store) == [body(2), body(3)])
  }

  @Test func `the times of files follow a clock that is set`() async throws {
    let folder = try place().folder
    let name = AlertName(number: 1)
    #expect(folder.write([(name, body(1))])[0] == nil)
    folder.stamp(name, written: .seconds(1_795_000_000) + .milliseconds(250))
    #expect(folder.written(name) == .seconds(1_795_000_000) + .milliseconds(250))
  }
}
