import SondeAddresses
import Foundation
import SondeRecords
import TestSupport
import Testing

@testable import SondeStore
import SondeSystem

/// Listing, trimming and removing.
@Suite struct StoreContentsTests {
  @Test func `random questions are answered as a dictionary would`() async throws {
    let folder = try ScratchFolder()
    let stores = [folder.store(limits: .low), folder.store(limits: .low)]
    var generator = SeededGenerator(seed: 3)
    var expected: [Address: String] = [:]
    for step in 0..<120 {
      let store = stores[Int.random(in: 0...1, using: &generator)]
      let first = UInt32.random(in: 0..<4000, using: &generator)
      let isIPv6 = Bool.random(using: &generator)
      let block = RecordBlock(first, count: 100, city: "S\(step)", isIPv6: isIPv6)
      await store.save(block, in: .usual)
      for (record, city) in zip(block.records, block.cities) {
        if let address = record.address { expected[address] = city }
      }
      let question = (0..<200).map { _ in
        Address.numbered(
          .random(in: 0..<4200, using: &generator),
          isIPv6: Bool.random(using: &generator)
        )
      }
      let found = await stores[step % 2].lookUp(question, in: .usual, youngerThan: .seconds(900))
      #expect(found.positions == question.indices.filter { expected[question[$0]] != nil })
      #expect(found.block.cities == question.compactMap { expected[$0] })
    }
    #expect(await stores[0].statistics()?.answers == expected.count)
  }

  @Test func `listing goes through all answers once, in pages of any size`() async throws {
    let folder = try ScratchFolder()
    let store = folder.store(limits: .low)
    for first in stride(from: UInt32(0), to: 900, by: 90) {
      await store.save(RecordBlock(first, count: 100), in: .usual)
    }
    await store.save(RecordBlock(0, count: 50), in: .other)
    for limit in [1, 7, 100, 5000] {
      var (cities, scopes, cursor) = ([String?](), Set<AnswerScope>(), CacheCursor?.none)
      repeat {
        let page = try #require(await store.page(after: cursor, limit: limit))
        #expect(page.block.records.count <= limit)
        #expect(page.scopes.count == page.block.records.count)
        cities += page.block.cities
        scopes.formUnion(page.scopes)
        cursor = page.next
      } while cursor != nil
      #expect(cities.count == 910 + 50)
      #expect(Set(cities).count == 910)
      #expect(scopes == [AnswerScope.usual, .other])
    }
  }

  @Test func `an address is listed once for each source, with its newest answer`() async throws {
    let folder = try ScratchFolder()
    let store = folder.store(limits: .low)
    let hour = Timestamp.now.seconds - 3600
    var wide = AnswerScope.usual
    wide.fields = 0b1110
    await store.save(RecordBlock(1, count: 3, city: "Scan", at: hour), in: .usual)
    await store.save(RecordBlock(1, count: 3, city: "Other", at: hour + 500), in: .other)
    await store.save(RecordBlock(1, count: 1, city: "Early", at: hour - 100), in: wide)
    await store.save(RecordBlock(2, count: 1, city: "Late", at: hour + 1000), in: wide)
    await store.save(RecordBlock(3, count: 1, city: "Same", at: hour), in: wide)
    let cities = [
      "Scan 1", "Other 1", "Other 2", "Other 3", "Late 2", "Same 3",
    ]
    for limit in [1, 2, 100] {
      var (listed, cursor) = ([String?](), CacheCursor?.none)
      repeat {
        let page = try #require(await store.page(after: cursor, limit: limit))
        (listed, cursor) = (listed + page.block.cities, page.next)
      } while cursor != nil
      #expect(listed == cities)
      var (backwards, row) = ([String?](), Int?.none)
      repeat {
        let (page, next) = try #require(await store.page(before: row, limit: limit))
        (backwards, row) = (backwards + page.block.cities, next)
      } while row != nil
      #expect(backwards == cities.reversed())
    }
    let entries = try #require(await store.entries(of: .numbered(1..<4)))
    #expect(Set(entries.block.cities) == Set(cities))
    let statistics = try #require(await store.statistics())
    #expect(statistics.answers == cities.count)
    #expect(statistics.oldest == hour && statistics.newest == hour)
    #expect(await store.delete(.numbered(1..<4)) == 3)
    #expect(await store.statistics()?.answers == 0)
  }

  @Test func `what is known of an address is listed for every source`() async throws {
    let folder = try ScratchFolder()
    let store = folder.store()
    await store.save(RecordBlock(1, count: 2, city: "A"), in: .usual)
    await store.save(RecordBlock(2, count: 2, city: "B"), in: .other)
    let page = try #require(await store.entries(of: .numbered(2..<4)))
    #expect(page.block.cities == ["A 2", "B 2", "B 3"])
    #expect(page.scopes == [AnswerScope.usual, .other, .other])
  }

  @Test func `what is deleted is gone for everybody, older answers too`() async throws {
    let folder = try ScratchFolder()
    let store = folder.store(limits: .low)
    for city in ["Old", "Secretville"] {
      await store.save(RecordBlock(0, count: 700, city: city), in: .usual)
      await store.save(RecordBlock(0, count: 10, city: city, isIPv6: true), in: .usual)
    }
    await store.save(RecordBlock(5, count: 1, city: "Secretville"), in: .other)
    let other = folder.store()
    #expect(await other.cities([.numbered(5)]) == ["Secretville 5"])
    let doomed: [Address] = [.numbered(5), .numbered(6, isIPv6: true), .numbered(9999)]
    #expect(await store.delete(doomed) == 2)
    for reader in [store, other, folder.store()] {
      #expect(await reader.cities(doomed).isEmpty)
      #expect(await reader.cities(doomed, in: .other).isEmpty)
      #expect(await reader.cities([.numbered(4), .numbered(6)]).count == 2)
      #expect(await reader.entries(of: doomed)?.block.records.isEmpty == true)
      #expect(await reader.statistics()?.answers == 708)
    }
    #expect(await store.delete(doomed) == 0)
    await store.save(RecordBlock(5, count: 1, city: "New"), in: .usual)
    #expect(await other.cities([.numbered(5)]) == ["New 5"])
  }

  @Test func `what is deleted is not in the file any more`() async throws {
    let folder = try ScratchFolder()
    let store = folder.store()
    await store.save(RecordBlock(1, count: 50, city: "Secretville"), in: .usual)
    #expect(await store.delete([.numbered(7)]) == 1)
    await store.close()
    let bytes = try folder.bytes("cache.db")
    #expect(bytes.contains("Secretville 8".utf8))
    #expect(!bytes.contains("Secretville 7".utf8))
  }

  @Test func `clearing empties the file`() async throws {
    let folder = try ScratchFolder()
    let (store, other) = (folder.store(limits: .low), folder.store(limits: .low))
    for first in stride(from: UInt32(0), to: 3000, by: 100) {
      await store.save(RecordBlock(first, count: 100), in: .usual)
    }
    #expect(await other.cities([.numbered(2999)]).count == 1)
    #expect(await store.clear())
    #expect(try folder.bytes("cache.db").count < 100_000)
    #expect(try folder.bytes("cache.db-wal").isEmpty)
    for reader in [store, other, folder.store()] {
      #expect(await reader.cities(.numbered(0..<3000)).isEmpty)
    }
    await other.save(RecordBlock(1, count: 1), in: .other)
    await store.save(RecordBlock(1, count: 1, city: "New"), in: .usual)
    #expect(await store.cities([.numbered(1)], in: .other) == ["City 1"])
    #expect(await other.cities([.numbered(1)]) == ["New 1"])
  }

  @Test func `answers too old to be of use go`() async throws {
    let folder = try ScratchFolder()
    let store = folder.store(limits: .low)
    var block = RecordBlock(0, count: 400)
    for index in block.records.indices { block.records[index].fetchedAt = 1_000_000_000 }
    await store.save(block, in: .usual)
    await store.save(RecordBlock(1000, count: 600), in: .usual)
    await store.close()
    #expect(await store.cities(.numbered(0..<400), youngerThan: nil).isEmpty)
    #expect(await store.cities(.numbered(1000..<1600)).count == 600)
    #expect(await store.statistics()?.answers == 600)
  }

  @Test func `a file whose answers have all gone is no damaged one`() async throws {
    let folder = try ScratchFolder()
    let warnings = Shared<[String]>([])
    var block = RecordBlock(0, count: 400)
    for index in block.records.indices { block.records[index].fetchedAt = 1_000_000_000 }
    for _ in 0..<3 {
      let (store, other) = (folder.store(warnings, limits: .low), folder.store(warnings))
      await store.save(block, in: .usual)
      #expect(await other.cities(.numbered(0..<400)).isEmpty)
      await store.save(RecordBlock(200, count: 300), in: .usual)
      await store.save(RecordBlock(100, count: 300), in: .usual)
      #expect(await other.cities(.numbered(100..<500)).count == 400)
      #expect(await store.delete(.numbered(0..<500)) ?? 0 >= 400)
      #expect(await other.statistics()?.answers == 0)
      await store.close()
      await other.close()
    }
    #expect(warnings.value.isEmpty)
    #expect(folder.names == ["cache.db"])
  }

  @Test func `the oldest answers go when the file is too large`() async throws {
    let folder = try ScratchFolder()
    var limits = StoreLimits.low
    limits.bytes = 400_000
    let store = folder.store(limits: limits)
    for first in stride(from: UInt32(0), to: 20_000, by: 100) {
      await store.save(RecordBlock(first, count: 100), in: .usual)
    }
    await store.close()
    #expect(await store.cities(.numbered(0..<100), youngerThan: nil).isEmpty)
    #expect(await store.cities(.numbered(19_000..<20_000)).count == 1000)
    await store.close()
    let size = try folder.bytes("cache.db").count
    #expect(size < 800_000, "\(size) bytes")
    #expect(await store.statistics()?.answers ?? 0 < 8000)
  }
}
