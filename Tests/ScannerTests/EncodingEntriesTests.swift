import SondeStore
import Testing

@testable import SondeAsking
@testable import SondeInputs
@testable import SondeOutputs
@testable import SondeRecords
@testable import SondeScanner

@Suite struct EncodingEntriesTests {
  private static let encoder = ChunkEncoder(
    main: RecordEncoder(format: .csv, fields: [.ip, .status, .countryCode, .line])
  )

  /// Six entries from number 10 on, two of which nobody is asked about.
  private var entries: EntryBlock {
    var entries = EntryBlock()
    entries.block = RecordBlock(
      "8.8.8.8 ok",
      "10.0.0.1 reserved",
      "1.1.1.1 ok",
      "x invalid",
      "9.9.9.9 ok",
      "4.4.4.4 ok"
    )
    for index in entries.block.records.indices {
      entries.block.records[index].place.line = UInt64(100 + index)
    }
    entries.first = 10
    return entries
  }

  private let answers = ["8.8.8.8 ok US", "1.1.1.1 ok AU", "9.9.9.9 unknown", "4.4.4.4 ok FR"]

  private func sorted(known: [Int]?, written: [Range<UInt64>]) -> SortedEntries {
    var earlier = WrittenEntries()
    for range in written { earlier.insert(range) }
    let known = known.map { positions in
      var known = KnownAnswers()
      (known.block, known.positions) = (
        RecordBlock(lines: positions.map { answers[$0] }), positions
      )
      return known
    }
    return Self.encoder.sort(entries, known: known, except: earlier)
  }

  /// The chunks as `FIRST COUNT: LINES`, where the answers with these positions are known.
  private func chunks(known: [Int]? = [0, 1, 2, 3], written: [Range<UInt64>] = []) -> [String] {
    sorted(known: known, written: written).chunks.map {
      "\($0.first) \($0.count): \(text($0.output).split(separator: "\n").joined(separator: "|"))"
    }
  }

  @Test func `answers stand in the places of what was asked`() {
    #expect(
      chunks() == [
        "10 6: 8.8.8.8,ok,US,100|10.0.0.1,reserved,,101|1.1.1.1,ok,AU,102|x,invalid,,103"
          + "|9.9.9.9,unknown,,104|4.4.4.4,ok,FR,105"
      ]
    )
  }

  @Test func `what is written is left out, and the rest keeps its answers`() {
    #expect(
      chunks(written: [0..<12]) == [
        "12 4: 1.1.1.1,ok,AU,102|x,invalid,,103|9.9.9.9,unknown,,104|4.4.4.4,ok,FR,105"
      ]
    )
    #expect(
      chunks(written: [0..<10, 11..<13, 14..<15]) == [
        "10 1: 8.8.8.8,ok,US,100", "13 1: x,invalid,,103", "15 1: 4.4.4.4,ok,FR,105",
      ]
    )
    #expect(chunks(written: [0..<16]) == [])
  }

  @Test func `what is not known is left as questions between the chunks`() {
    #expect(chunks(known: [1]) == ["11 3: 10.0.0.1,reserved,,101|1.1.1.1,ok,AU,102|x,invalid,,103"])
    let questions = sorted(known: [1], written: [14..<15]).questions
    #expect(questions.map(\.number) == [10, 15])
    #expect(questions.map { "\($0.address)" } == ["8.8.8.8", "4.4.4.4"])
    #expect(questions.map(\.place.line) == [100, 105])
  }

  @Test func `where nobody is asked the entries are their own records`() {
    #expect(sorted(known: nil, written: []).questions.isEmpty)
    #expect(
      chunks(known: nil) == [
        "10 6: 8.8.8.8,ok,,100|10.0.0.1,reserved,,101|1.1.1.1,ok,,102|x,invalid,,103"
          + "|9.9.9.9,ok,,104|4.4.4.4,ok,,105"
      ]
    )
  }
}
