import SondeAddresses
import TestSupport
import Testing

@testable import SondeAsking
@testable import SondeInputs
@testable import SondeOutputs
@testable import SondeRecords
@testable import SondeScanner
@testable import SondeUpgrade

@Suite struct BatchTests {
  private let encoder = ChunkEncoder(
    main: RecordEncoder(format: .csv, fields: [.ip, .countryCode, .line])
  )

  private func batch(_ entries: [(UInt64, String)], mayRepeat: Bool = false) -> Batch {
    var batch = Batch(mayRepeat: mayRepeat)
    for (number, text) in entries {
      let place = Place(line: number + 1)
      let question = Question(number: number, address: address(text), place: place)
      batch.append(question, unknownIn: nil, now: .now)
    }
    return batch
  }

  @Test func `entries that follow one another are a chunk`() {
    let batch = batch([
      (3, "8.8.8.1"), (4, "8.8.8.2"), (7, "8.8.8.3"), (9, "8.8.8.4"), (10, "8.8.8.5"),
    ])
    let answers = RecordBlock(lines: (1...5).map { "8.8.8.\($0) ok C\($0)" })
    let chunks = encoder.chunks(of: answers, to: batch)
    #expect(chunks.map(\.first) == [3, 7, 9])
    #expect(chunks.map(\.count) == [2, 1, 2])
    #expect(
      chunks.map { text($0.output) }
        == ["8.8.8.1,C1,4\n8.8.8.2,C2,5\n", "8.8.8.3,C3,8\n", "8.8.8.4,C4,10\n8.8.8.5,C5,11\n"]
    )
    #expect(chunks.map(\.tally.ok) == [2, 1, 2])
  }

  @Test func `an address that comes again is asked once and answered every time`() {
    let batch = batch([(0, "8.8.8.1"), (1, "8.8.8.2"), (2, "8.8.8.1")], mayRepeat: true)
    #expect(batch.addresses == ["8.8.8.1", "8.8.8.2"].map(address))
    let chunks = encoder.chunks(of: RecordBlock("8.8.8.1 ok C1", "8.8.8.2 ok C2"), to: batch)
    #expect(chunks.map { text($0.output) } == ["8.8.8.1,C1,1\n8.8.8.2,C2,2\n8.8.8.1,C1,3\n"])
  }

  @Test func `without answers, rows come back as they are, and others not at all`() throws {
    let bytes = Array("ip,status,source\n8.8.8.8,failed,\n1.1.1.1,ok,libloc\n".utf8)
    let layout = try #require(try RecordLayout.recognize(bytes.span, isLast: true, name: "f"))
    let asked = batch([(0, "8.8.8.8"), (1, "1.1.1.1")], mayRepeat: true)
    #expect(encoder.unansweredRows(of: asked) == [])
    let rows = try RowEncoder(layout, RecordParser.rows(of: bytes), encoder: encoder.main)
    let encoder = ChunkEncoder(main: encoder.main, consumer: rows)
    let chunks = encoder.unansweredRows(of: asked)
    #expect(chunks.map(\.output) == [bytes])
    #expect(chunks.map(\.tally.records) == [2])
    #expect(chunks.map(\.upgrades.upgradable) == [2])
  }

  @Test func `any numbers come out as runs that hold each once`() {
    var generator = SeededGenerator(seed: 31)
    for _ in 0..<100 {
      let numbers = (0..<40 as Range<UInt64>).filter { _ in Bool.random(using: &generator) }
      guard !numbers.isEmpty else { continue }
      let entries = numbers.map { ($0, "8.8.8.\($0)") }
      let answers = RecordBlock(lines: numbers.map { "8.8.8.\($0) ok C" })
      let chunks = encoder.chunks(of: answers, to: batch(entries))
      #expect(chunks.flatMap { $0.first..<$0.first + UInt64($0.count) } == numbers)
      for (left, right) in zip(chunks, chunks.dropFirst()) {
        #expect(left.first + UInt64(left.count) < right.first)
      }
    }
  }
}

@Suite struct ChunkEncoderTests {
  private let lines = [
    "8.8.8.8 ok US", "x invalid column 1: no", "1.1.1.1 failed down", "9.9.9.9 network_lost gone",
    "2.2.2.2 unknown nothing", "10.0.0.1 reserved private",
  ]

  private func chunk(_ encoder: ChunkEncoder) throws -> Chunk {
    let chunks = encoder.chunks(ofRecords: lines)
    #expect(chunks.count == 1)
    return try #require(chunks.first)
  }

  private func encoder(_ format: Format) -> RecordEncoder {
    RecordEncoder(format: format, fields: [.ip, .status])
  }

  @Test func `rejects take the invalid records alone`() throws {
    let together = try chunk(ChunkEncoder(main: encoder(.csv)))
    #expect(text(together.output).split(separator: "\n").count == 6)
    #expect(together.rejects == [] && together.missing == [])
    let apart = try chunk(ChunkEncoder(main: encoder(.csv), rejects: encoder(.ndjson)))
    #expect(!text(apart.output).contains("x,invalid"))
    #expect(text(apart.rejects) == #"{"ip":"x","status":"invalid"}"# + "\n")
    for chunk in [together, apart] {
      #expect(chunk.count == 6)
      #expect(chunk.tally.records == 6)
      #expect(chunk.tally.invalid == 1)
    }
  }

  @Test func `missing lists the addresses left without an answer`() throws {
    let chunk = try chunk(ChunkEncoder(main: encoder(.csv), listsMissing: true))
    #expect(text(chunk.missing) == "1.1.1.1\n9.9.9.9\n")
  }
}

extension ChunkEncoder {
  /// The chunks of records that nobody is asked about, a line each.
  func chunks(ofRecords lines: [String]) -> [Chunk] {
    var entries = EntryBlock()
    entries.block = RecordBlock(lines: lines)
    return sort(entries, known: nil, except: WrittenEntries()).chunks
  }
}
