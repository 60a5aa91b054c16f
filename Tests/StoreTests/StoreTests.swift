import SondeAddresses
import SondeRecords
import TestSupport
import Testing

@testable import SondeStore
import SondeSystem

@Suite struct StoreTests {
  @Test func `what was saved is found, by this store and by the next`() async throws {
    let folder = try ScratchFolder()
    let warnings = Shared<[String]>([])
    let block = RecordBlock(100, count: 250)
    let store = folder.store(warnings)
    await store.save(block, in: .usual)
    for _ in 0..<2 {
      let found = await store.lookUp(
        .numbered(100..<350),
        in: .usual,
        youngerThan: .seconds(60)
      )
      #expect(found.block.contents == block.contents)
      #expect(found.positions == Array(0..<250))
      #expect(!found.block.records.contains { !$0.isCached })
      await store.close()
    }
    let cities = await folder.store(warnings).cities(.numbered(340..<360))
    #expect(cities == block.cities.suffix(10))
    #expect(warnings.value.isEmpty)
  }

  @Test func `positions say which addresses were answered, doubled ones too`() async throws {
    let folder = try ScratchFolder()
    let store = folder.store()
    await store.save(RecordBlock(10, count: 2), in: .usual)
    await store.save(RecordBlock(20, count: 1, isIPv6: true), in: .usual)
    let question: [Address] = [
      .numbered(11), .numbered(99), .numbered(20, isIPv6: true), .numbered(10), .numbered(20),
      .numbered(11),
    ]
    let found = await store.lookUp(question, in: .usual, youngerThan: nil)
    #expect(found.positions == [0, 2, 3, 5])
    #expect(found.block.records.map(\.address) == [0, 2, 3, 5].map { question[$0] })
    #expect(found.block.cities == ["City 11", "City 20", "City 10", "City 11"])
  }

  @Test func `scopes are kept apart`() async throws {
    let folder = try ScratchFolder()
    let store = folder.store()
    await store.save(RecordBlock(1, count: 3, city: "A"), in: .usual)
    #expect(await store.cities([.numbered(1)], in: .other).isEmpty)
    await store.save(RecordBlock(1, count: 3, city: "B"), in: .other)
    #expect(await store.cities([.numbered(2)]) == ["A 2"])
    #expect(await store.cities([.numbered(2)], in: .other) == ["B 2"])
    let changes: [WritableKeyPath<AnswerScope, String>] = [
      \.provider, \.endpoint, \.account, \.language,
    ]
    for change in changes {
      var scope = AnswerScope.usual
      scope[keyPath: change] += "x"
      #expect(await store.cities([.numbered(2)], in: scope).isEmpty)
    }
  }

  @Test func `an answer that holds more is found, the youngest first, and none that holds less`()
    async throws
  {
    let folder = try ScratchFolder()
    let store = folder.store()
    func scope(_ fields: Int) -> AnswerScope {
      var scope = AnswerScope.usual
      scope.fields = fields
      return scope
    }
    func save(_ numbers: Range<UInt32>, in fields: Int, ago age: Int64) async {
      var block = RecordBlock(numbers.lowerBound, count: numbers.count, city: "\(fields)")
      let given = Timestamp.now.seconds - age
      for index in block.records.indices { block.records[index].fetchedAt = given }
      await store.save(block, in: scope(fields))
    }
    await save(1..<5, in: 0b0111, ago: 30)
    await save(2..<4, in: 0b1110, ago: 20)
    await save(3..<4, in: 0b0110, ago: 40)
    await save(4..<6, in: 0b0010, ago: 10)
    let question = [Address].numbered(1..<6)
    #expect(await store.cities(question) == ["7 1", "14 2", "14 3", "7 4"])
    #expect(await store.cities(question, youngerThan: nil) == ["7 1", "14 2", "14 3", "7 4"])
    #expect(await store.cities(question, in: scope(0b1111)).isEmpty)
    #expect(await store.cities(question, in: scope(0b1100)) == ["14 2", "14 3"])
    #expect(
      await store.cities(question, in: scope(0b0010)) == ["7 1", "14 2", "14 3", "2 4", "2 5"]
    )
  }

  @Test func `the newest answer counts`() async throws {
    let folder = try ScratchFolder()
    let store = folder.store(limits: .low)
    for city in ["A", "B", "C"] {
      await store.save(RecordBlock(1, count: 300, city: city), in: .usual)
      #expect(await store.cities([.numbered(7)]) == ["\(city) 7"])
    }
    #expect(await store.statistics()?.answers == 300)
    let page = try #require(await store.page(after: nil, limit: 10))
    #expect(page.block.cities.allSatisfy { $0?.first == "C" })
  }

  @Test func `an answer too old is not found, unless any age will do`() async throws {
    let folder = try ScratchFolder()
    let store = folder.store()
    var block = RecordBlock(1, count: 2)
    block.records[0].fetchedAt = Timestamp.now.seconds - 100
    // A clock that was set back since does not make it older than the machine knows.
    block.records[1].fetchedAt = Timestamp.now.seconds + 1000
    await store.save(block, in: .usual)
    let addresses = [Address].numbered(1..<3)
    #expect(await store.cities(addresses, youngerThan: .seconds(90)) == ["City 2"])
    #expect(await store.cities(addresses, youngerThan: .seconds(200)) == ["City 1", "City 2"])
    #expect(await store.cities(addresses, youngerThan: .zero) == [])
    let found = await store.lookUp(addresses, in: .usual, youngerThan: nil)
    #expect(found.block.contents == block.contents)
  }

  @Test func `those who save at once share a transaction`() async throws {
    let folder = try ScratchFolder()
    let store = folder.store()
    await store.save(RecordBlock(0, count: 1), in: .usual)
    await withTaskGroup { group in
      for saver in UInt32(0)..<50 {
        group.addTask { await store.save(RecordBlock(1000 * saver, count: 30), in: .usual) }
      }
    }
    for saver in UInt32(0)..<50 {
      #expect(await store.cities(.numbered(1000 * saver..<1000 * saver + 30)).count == 30)
    }
    let commits = await store.commits
    #expect(commits < 40, "\(commits) transactions for 51 saves")
  }

  @Test func `an empty save and an empty look-up are nothing`() async throws {
    let folder = try ScratchFolder()
    let store = folder.store()
    #expect(await store.lookUp([], in: .usual, youngerThan: nil).positions.isEmpty)
    await store.save(RecordBlock(), in: .usual)
    #expect(await store.page(after: nil, limit: 5)?.next == nil)
    #expect(await store.statistics()?.answers == 0)
  }
}
