import Addresses
import Records
import Testing

@testable import Scanner

@Suite struct BatchTests {
  private let encoder = PieceEncoder(
    main: RecordEncoder(format: .csv, fields: [.ip, .countryCode, .line]),
    rejects: nil,
    listsMissing: false
  )

  private func batch(_ entries: [(UInt64, String)], mayRepeat: Bool = false) -> Batch {
    var batch = Batch(mayRepeat: mayRepeat)
    for (number, text) in entries {
      var record = Record(address: address(text), status: .ok)
      record.line = number + 1
      batch.append(record, address: address(text), number: number)
    }
    return batch
  }

  @Test func `entries that follow one another are a piece`() {
    let batch = batch([
      (3, "8.8.8.1"), (4, "8.8.8.2"), (7, "8.8.8.3"), (9, "8.8.8.4"), (10, "8.8.8.5"),
    ])
    let answers = RecordBlock(lines: (1...5).map { "8.8.8.\($0) ok C\($0)" })
    let pieces = batch.pieces(of: answers, with: encoder)
    #expect(pieces.map(\.first) == [3, 7, 9])
    #expect(pieces.map(\.count) == [2, 1, 2])
    #expect(
      pieces.map { text($0.output) }
        == ["8.8.8.1,C1,4\n8.8.8.2,C2,5\n", "8.8.8.3,C3,8\n", "8.8.8.4,C4,10\n8.8.8.5,C5,11\n"]
    )
    #expect(pieces.map(\.tally.ok) == [2, 1, 2])
  }

  @Test func `an address that comes again is asked once and answered every time`() {
    let batch = batch([(0, "8.8.8.1"), (1, "8.8.8.2"), (2, "8.8.8.1")], mayRepeat: true)
    #expect(batch.addresses == ["8.8.8.1", "8.8.8.2"].map(address))
    let pieces = batch.pieces(of: RecordBlock("8.8.8.1 ok C1", "8.8.8.2 ok C2"), with: encoder)
    #expect(pieces.map { text($0.output) } == ["8.8.8.1,C1,1\n8.8.8.2,C2,2\n8.8.8.1,C1,3\n"])
  }

  @Test func `without answers, rows come back as they are, and others not at all`() throws {
    let bytes = Array("ip,status,source\n8.8.8.8,failed,\n1.1.1.1,ok,libloc\n".utf8)
    let layout = try #require(try RecordLayout.recognize(bytes.span, isLast: true, name: "f"))
    var parser = RecordParser(layout, name: "f", fallbacks: [.libloc, .mmdb])
    var entries = EntryBlock()
    _ = parser.parse(bytes.span, isLast: true, into: &entries, limit: .max)
    var rows = Batch(mayRepeat: true)
    for (index, record) in entries.block.records.enumerated() {
      let address = try #require(record.address)
      rows.append(record, address: address, number: UInt64(index), row: entries.row(index))
    }
    let pieces = rows.unanswered(with: encoder)
    #expect(pieces.map(\.output) == [bytes])
    #expect(pieces.map(\.tally.records) == [2])
    #expect(pieces.map(\.upgrades) == [UpgradeTally(upgradable: 2)])
    #expect(batch([(0, "8.8.8.1")]).unanswered(with: encoder) == [])
  }

  @Test func `any numbers come out as runs that hold each once`() {
    var generator = SeededGenerator(state: 31)
    for _ in 0..<100 {
      let numbers = (0..<40 as Range<UInt64>).filter { _ in Bool.random(using: &generator) }
      guard !numbers.isEmpty else { continue }
      let entries = numbers.map { ($0, "8.8.8.\($0)") }
      let answers = RecordBlock(lines: numbers.map { "8.8.8.\($0) ok C" })
      let pieces = batch(entries).pieces(of: answers, with: encoder)
      #expect(pieces.flatMap { $0.first..<$0.first + UInt64($0.count) } == numbers)
      for (left, right) in zip(pieces, pieces.dropFirst()) {
        #expect(left.first + UInt64(left.count) < right.first)
      }
    }
  }
}

@Suite struct PieceEncoderTests {
  private let block = RecordBlock(
    "8.8.8.8 ok US",
    "x invalid column 1: no",
    "1.1.1.1 failed down",
    "9.9.9.9 network_lost gone",
    "2.2.2.2 unknown nothing",
    "10.0.0.1 reserved private"
  )

  private func piece(_ encoder: PieceEncoder) -> Piece {
    var piece = Piece(first: 0)
    for record in block.records { encoder.append(record, bytes: block.bytes.span, to: &piece) }
    return piece
  }

  private func encoder(_ format: Format) -> RecordEncoder {
    RecordEncoder(format: format, fields: [.ip, .status])
  }

  @Test func `rejects take the invalid records alone`() {
    let main = encoder(.csv)
    let together = piece(PieceEncoder(main: main, rejects: nil, listsMissing: false))
    #expect(text(together.output).split(separator: "\n").count == 6)
    #expect(together.rejects == [] && together.missing == [])
    let apart = piece(PieceEncoder(main: main, rejects: encoder(.ndjson), listsMissing: false))
    #expect(!text(apart.output).contains("x,invalid"))
    #expect(text(apart.rejects) == #"{"ip":"x","status":"invalid"}"# + "\n")
    for piece in [together, apart] {
      #expect(piece.count == 6)
      #expect(piece.tally.records == 6)
      #expect(piece.tally.invalid == 1)
    }
  }

  @Test func `missing lists the addresses left without an answer`() {
    let piece = piece(PieceEncoder(main: encoder(.csv), rejects: nil, listsMissing: true))
    #expect(text(piece.missing) == "1.1.1.1\n9.9.9.9\n")
  }
}
