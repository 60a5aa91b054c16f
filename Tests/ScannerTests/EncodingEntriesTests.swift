import Records
import Testing

@testable import Scanner

@Suite struct EncodingEntriesTests {
  private static let encoder = PieceEncoder(
    main: RecordEncoder(format: .csv, fields: [.ip, .status, .countryCode, .line]),
    rejects: nil,
    listsMissing: false
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
      entries.block.records[index].line = UInt64(100 + index)
    }
    entries.first = 10
    return entries
  }

  private let answers = RecordBlock(
    "8.8.8.8 ok US",
    "1.1.1.1 ok AU",
    "9.9.9.9 unknown",
    "4.4.4.4 ok FR"
  )

  /// The pieces as `FIRST COUNT: LINES`.
  private func pieces(written: [Range<UInt64>]) -> [String] {
    var known = WrittenEntries()
    for range in written { known.insert(range) }
    return Self.encoder.pieces(of: entries, answers: answers, except: known).map {
      "\($0.first) \($0.count): \(text($0.output).split(separator: "\n").joined(separator: "|"))"
    }
  }

  @Test func `answers stand in the places of what was asked`() {
    #expect(
      pieces(written: []) == [
        "10 6: 8.8.8.8,ok,US,100|10.0.0.1,reserved,,101|1.1.1.1,ok,AU,102|x,invalid,,103"
          + "|9.9.9.9,unknown,,104|4.4.4.4,ok,FR,105"
      ]
    )
  }

  @Test func `what is written is left out, and the rest keeps its answers`() {
    #expect(
      pieces(written: [0..<12]) == [
        "12 4: 1.1.1.1,ok,AU,102|x,invalid,,103|9.9.9.9,unknown,,104|4.4.4.4,ok,FR,105"
      ]
    )
    #expect(
      pieces(written: [0..<10, 11..<13, 14..<15]) == [
        "10 1: 8.8.8.8,ok,US,100", "13 1: x,invalid,,103", "15 1: 4.4.4.4,ok,FR,105",
      ]
    )
    #expect(pieces(written: [0..<16]) == [])
  }
}
