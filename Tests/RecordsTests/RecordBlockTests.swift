import SondeAddresses
import Testing

@testable import SondeRecords

@Suite struct RecordBlockTests {
  @Test func `texts come back as they were added, whatever their length`() {
    var block = RecordBlock()
    var ranges: [TextRange] = []
    let texts = (0..<100).map { length in String(repeating: "é\u{0}x", count: length) }
    for (index, text) in texts.enumerated() {
      let bytes = Array(text.utf8)
      ranges.append(index % 2 == 0 ? block.append(text: bytes.span) : block.append(text: text))
    }
    #expect(ranges.map { block.text($0) ?? "" } == texts)
    #expect(block.bytes == texts.flatMap { Array($0.utf8) })
    #expect(ranges[0].isEmpty && block.text(ranges[0]) == nil)
  }

  @Test func `a record knows its texts by their field`() {
    var block = RecordBlock()
    var record = Record(address: Address(ipv4: 1), status: .ok)
    for field in TextField.allCases { record[field] = block.append(text: "\(field)") }
    let differences = TextField.allCases.filter { block.text($0, of: record) != "\($0)" }
    #expect(differences == [])
  }

  @Test func `every text has a place of its own, under its field and its number`() {
    var texts = RecordTexts()
    #expect(texts.indices.count == TextField.allCases.count)
    #expect(texts.size == 0)
    for (number, field) in TextField.allCases.enumerated() {
      #expect(field.rawValue == number)
      texts[field] = TextRange(offset: .max - UInt32(number), count: UInt32(number) + 1)
    }
    let all = texts.all
    for (number, field) in TextField.allCases.enumerated() {
      #expect(texts[field] == TextRange(offset: .max - UInt32(number), count: UInt32(number) + 1))
      #expect(texts[number] == texts[field] && all[number] == texts[field])
      texts[number].count = .max
      #expect(texts[field].count == .max && texts[field].offset == .max - UInt32(number))
    }
    #expect(texts.size == TextField.allCases.count * Int(UInt32.max))
  }

  @Test func `a block of records fits into the memory that malloc keeps`() {
    #expect(MemoryLayout<Record>.stride <= 336)
  }

  @Test func `a record alone has its texts, and no range behind them`() {
    var block = RecordBlock()
    _ = block.append(text: "of another record")
    var record = Record(address: nil, status: .ok)
    record[.city] = block.append(text: "Kyiv")
    record[.region] = TextRange(offset: UInt32(block.bytes.count), count: 0)
    block.records = [record]
    let alone = block.alone(0)
    #expect(alone.text(.city, of: alone.records[0]) == "Kyiv")
    #expect(alone.records[0][.region] == .none && alone.bytes.count == 4)
  }
}
