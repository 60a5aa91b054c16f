import Addresses
import Records
import Store

/// Entries that wait for an answer together, and the addresses to ask for.
struct Batch: Sendable {
  /// An entry, and where its address stands in the question.
  private struct Entry {
    let number: UInt64
    let line: UInt64
    let input: UInt32
    let position: Int
  }

  /// The addresses, each once.
  private(set) var addresses: [Address] = []

  /// When the first entry came.
  private(set) var begin: ContinuousClock.Instant?

  /// What was in the cache when it knew none of the addresses; `nil` where it has to be asked.
  private(set) var view: StoreView?

  private var entries: [Entry] = []
  /// The rows that the entries come from, one each; none where they come from elsewhere.
  private var rows: [Row] = []
  /// Where an address stands, kept only while an address may come twice.
  private var positions: [Address: Int]?

  /// - Parameter mayRepeat: Whether an address may be an entry more than once.
  init(mayRepeat: Bool) { positions = mayRepeat ? [:] : nil }

  var isEmpty: Bool { entries.isEmpty }

  mutating func append(
    _ record: Record,
    address: Address,
    number: UInt64,
    row: Row? = nil,
    unknownIn view: StoreView? = nil
  ) {
    if begin == nil { (begin, self.view) = (.now, view) }
    if view == nil { self.view = nil }
    let position = positions?[address] ?? addresses.count
    if position == addresses.count {
      addresses.append(address)
      positions?[address] = position
    }
    entries.append(
      Entry(number: number, line: record.line, input: record.input, position: position)
    )
    if let row { rows.append(row) }
  }

  /// Encodes the answers, a piece for each run of entries that follow one another.
  func pieces(of answers: RecordBlock, with encoder: PieceEncoder) -> [Piece] {
    pieces { index, piece in
      let entry = entries[index]
      var record = answers.records[entry.position]
      record.line = entry.line
      record.input = entry.input
      let row = rows.isEmpty ? nil : rows[index]
      encoder.append(record, bytes: answers.bytes.span, row: row, to: &piece)
    }
  }

  /// The rows as they are, for an end before the answers; nothing where there are no rows.
  func unanswered(with encoder: PieceEncoder) -> [Piece] {
    guard !rows.isEmpty else { return [] }
    return pieces { index, piece in
      encoder.append(rows[index], to: &piece)
      piece.upgrades.upgradable += 1
    }
  }

  private func pieces(_ append: (Int, inout Piece) -> Void) -> [Piece] {
    var pieces: [Piece] = []
    var piece = Piece(first: entries.first?.number ?? 0)
    for index in entries.indices {
      if entries[index].number != piece.first + UInt64(piece.count) {
        pieces.append(piece)
        piece = Piece(first: entries[index].number)
      }
      append(index, &piece)
    }
    pieces.append(piece)
    return pieces
  }
}
