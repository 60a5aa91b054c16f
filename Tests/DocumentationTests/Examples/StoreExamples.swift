import SondeAddresses
import SondeRecords
import SondeStore
import TestSupport
import Testing

@Suite struct StoreExamples {
  @Test(.timeLimit(.minutes(1))) func store() async throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/cache.db"
    // example: Store
    let store = Store(path: path) { warning in print(warning) }
    let scope = AnswerScope(
      provider: "ip-api",
      endpoint: "http://ip-api.com",
      account: "",
      language: "en",
      fields: 0
    )
    let address = try #require(Address("8.8.8.8"))
    var answers = RecordBlock()
    var record = Record(address: address, status: .ok)
    record[.city] = answers.append(text: "Mountain View")
    answers.records.append(record)
    await store.save(answers, in: scope)

    let found = await store.lookUp([address], in: scope, youngerThan: .seconds(86_400))
    #expect(found.positions == [0] && found.block.records[0].isCached)
    #expect(found.block.text(.city, of: found.block.records[0]) == "Mountain View")
    #expect(await store.statistics()?.answers == 1)
    await store.close()
    // end
  }

  @Test(.timeLimit(.minutes(1))) func ledger() async throws {
    let folder = try ScratchFolder()
    let path = folder.path
    // example: Ledger
    let ledger = Ledger(folder: path) { warning in print(warning) }
    let count = await ledger.update("ip-api free") { row in
      row.bytes.append(1)
      return row.bytes.count
    }
    #expect(count.result == 1)
    #expect(await ledger.update("ip-api free") { $0.bytes }.result == [1])
    await ledger.close()
    // end
  }
}
