import SondeAddresses
import SondeRecords
import SondeSQLite
import TestSupport
import Testing

@testable import SondeStore

@Suite struct KeptTextTests {
  private let folder: ScratchFolder
  private let store: Store

  init() throws {
    folder = try ScratchFolder()
    store = folder.store()
  }

  private func text(_ key: String, _ text: String, for lifetime: Duration = .seconds(300))
    -> KeptText
  {
    KeptText(key: Array(key.utf8), text: Array(text.utf8), lifetime: lifetime)
  }

  private func found(
    _ keys: [String],
    in scope: String = "names",
    by store: Store? = nil,
    youngerThan age: Duration? = nil
  ) async -> [String?] {
    await (store ?? self.store).texts(
      of: keys.map { Array($0.utf8) },
      in: scope,
      youngerThan: age
    ).map { $0.map { String(decoding: $0, as: UTF8.self) } }
  }

  @Test func `what was kept is found, by this store and by the next, each in its scope`() async {
    #expect(await found(["a"]) == [nil])
    await store.keep([text("a", "1"), text("b", "")], in: "names")
    await store.keep([text("a", "2")], in: "owner")
    #expect(await found(["b", "x", "a", "a"]) == ["", nil, "1", "1"])
    #expect(await found(["a"], in: "owner") == ["2"])
    await store.keep([text("a", "3")], in: "names")
    await store.close()
    #expect(await found(["a"], by: folder.store()) == ["3"])
  }

  @Test func `each thing holds for a time of its own, and no longer than is wanted`() async throws {
    await store.keep([text("a", "1", for: .milliseconds(20)), text("b", "2")], in: "names")
    try await Task.sleep(for: .milliseconds(60))
    #expect(await found(["a", "b"]) == [nil, "2"])
    #expect(await found(["b"], youngerThan: .milliseconds(10)) == [nil])
    #expect(await found(["b"], youngerThan: .seconds(100)) == ["2"])
    #expect(await found(["b"], youngerThan: .zero) == [nil])
  }

  @Test func `nothing is kept for longer than a day`() {
    #expect(text("a", "", for: .seconds(1 << 40)).lifetime == .seconds(86_400))
    #expect(text("a", "", for: .seconds(-1)).lifetime == .zero)
  }

  @Test func `whoever removes an address, or everything, removes what sources found`() async {
    let addresses = ["8.8.8.8", "2001:db8::1"].map(address)
    for address in addresses {
      await store.keep(
        [KeptText(key: address.keptKey, text: [1], lifetime: .seconds(300))],
        in: "names"
      )
    }
    await store.keep([text("net", "1")], in: "owner")
    #expect(await store.delete([addresses[0]]) == 1)
    #expect(await store.delete([addresses[0]]) == 0)
    let keys = addresses.map(\.keptKey)
    #expect(await store.texts(of: keys, in: "names", youngerThan: nil) == [nil, [1]])
    #expect(await store.clear())
    #expect(await store.texts(of: keys, in: "names", youngerThan: nil) == [nil, nil])
    #expect(await found(["net"], in: "owner") == [nil])
  }

  @Test func `a cache of an earlier time keeps its answers and takes what sources find`()
    async throws
  {
    await store.save(RecordBlock(1, count: 3), in: .usual)
    await store.close()
    let next = folder.store()
    await next.keep([text("a", "1")], in: "names")
    #expect(await next.cities(.numbered(1..<4)).count == 3)
    #expect(await found(["a"], by: next) == ["1"])
  }

  @Test func `what has expired goes when the file is used again`() async throws {
    await store.keep([text("a", "1", for: .zero), text("b", "2")], in: "names")
    await store.close()
    try await Task.sleep(for: .milliseconds(2100))
    let next = folder.store()
    await next.keep([text("c", "3")], in: "names")
    #expect(await next.textCount == 2)
    #expect(await found(["a", "b", "c"], by: next) == [nil, "2", "3"])
  }
}

extension Store {
  /// How many texts are in the file, whether they still hold or not.
  fileprivate var textCount: Int64? {
    let count = keeper.perform(for: .reading) { connection throws(SQLiteError) in
      try connection.database.number("SELECT count(*) FROM texts")
    }
    return count ?? nil
  }
}
