import Addresses
public import Records
import Store
import System

/// Where records go, and in what form.
public struct Outputs: Sendable {
  /// A place for records.
  public struct Place: Sendable {
    /// The form of the records.
    public var encoder: RecordEncoder
    /// Where the bytes go.
    public var sink: Sink
    /// How they are compressed, if they are.
    public var packing: Packing?

    /// Makes a place.
    public init(encoder: RecordEncoder, sink: Sink, packing: Packing? = nil) {
      self.encoder = encoder
      self.sink = sink
      self.packing = packing
    }

    /// Writes bytes, compressed where that is wanted, whole or not at all.
    public func write(_ bytes: [UInt8]) async throws(OutputFailure) {
      _ = try await sink.write(bytes, packing)
    }
  }

  /// The main output.
  public var main: Place

  /// Where `invalid` records go instead, if anywhere.
  public var rejects: Place?

  /// Where the addresses without an answer are listed, if anywhere.
  public var missing: Sink?

  /// How that list is compressed, if it is.
  public var missingPacking: Packing?

  /// The form of the records that the entries come from, if they are rows of an earlier run: the
  /// main output has the same form, and the encoder makes what is replaced in it.
  var layout: RecordLayout?

  /// Makes outputs with nothing but the main one.
  public init(main: Place) { self.main = main }

  /// Makes an output in which answers stand in the rows of an earlier run.
  public init(upgrading layout: RecordLayout, main: Place) {
    self.main = main
    self.layout = layout
  }

  private var sinks: [Sink] { [main.sink, rejects?.sink, missing].compactMap(\.self) }

  /// Empties the files that are not appended to.
  public func empty() async throws(OutputFailure) { for sink in sinks { try await sink.empty() } }

  /// Takes the files away that were not there before.
  public func discard() async { for sink in sinks { await sink.discard() } }

  /// Encodes records into pieces, in any task.
  var pieceEncoder: PieceEncoder {
    PieceEncoder(
      main: main.encoder,
      rejects: rejects?.encoder,
      listsMissing: missing != nil,
      rows: layout.map { RowEncoder(layout: $0, encoder: main.encoder) }
    )
  }
}

/// Encodes records into pieces.
///
/// A value, so that many tasks can do it at once.
struct PieceEncoder: Sendable {
  /// The bytes after which a piece ends; what a full disk refuses is refused piece by piece.
  private static let pieceSize = 48 << 10

  let main: RecordEncoder
  let rejects: RecordEncoder?
  let listsMissing: Bool
  /// Puts answers into rows, where there are rows.
  var rows: RowEncoder?

  /// Encodes entries into pieces, each of a run of those that are still to be written.
  ///
  /// - Parameters:
  ///   - entries: The entries.
  ///   - answers: The records of the addresses to ask for, in their order; `nil` where nobody is
  ///     asked.
  ///   - written: The entries whose records are in the outputs.
  /// - Returns: The pieces, in order.
  func pieces(
    of entries: EntryBlock,
    answers: RecordBlock?,
    except written: WrittenEntries
  ) -> [Piece] {
    main.prepare(for: entries.block.records)
    var pieces: [Piece] = []
    var piece = Piece(first: entries.first)
    var position = 0
    for (index, record) in entries.block.records.enumerated() {
      let answer = record.status == .ok ? answers?.records[position] : nil
      if record.status == .ok { position += 1 }
      let number = entries.first + UInt64(index)
      if written.contains(number) {
        if piece.count > 0 { pieces.append(piece) }
        piece = Piece(first: number + 1)
        continue
      }
      if piece.output.count >= Self.pieceSize {
        pieces.append(piece)
        piece = Piece(first: number)
      }
      if piece.count == 0 { piece.output.reserveCapacity(Self.pieceSize * 4 / 3) }
      if var answer, let answers {
        (answer.line, answer.input) = (record.line, record.input)
        append(answer, bytes: answers.bytes.span, to: &piece)
      } else {
        append(record, bytes: entries.block.bytes.span, to: &piece)
      }
    }
    if piece.count > 0 { pieces.append(piece) }
    return pieces
  }

  /// Appends a record to the piece it belongs to; one that comes from a row, in the place of it.
  func append(_ record: Record, bytes: Span<UInt8>, row: Row? = nil, to piece: inout Piece) {
    if let row { return append(record, bytes, in: row, to: &piece) }
    piece.count += 1
    piece.tally.count(record)
    if record.status == .invalid, let rejects {
      append(record, bytes, with: rejects, to: &piece.rejects)
    } else {
      append(record, bytes, with: main, to: &piece.output)
    }
    guard listsMissing, record.status == .failed || record.status == .networkLost,
      let address = record.address
    else { return }
    address.append(to: &piece.missing)
    piece.missing.append(UInt8(ascii: "\n"))
  }

  /// Appends a row as it is.
  func append(_ row: Row, to piece: inout Piece) {
    piece.count += 1
    piece.rowBytes += row.bytes.count
    piece.tally.count(row.record)
    piece.output += row.bytes
  }

  /// Appends an answer in its row, or the row as it is where that says more.
  private func append(
    _ record: Record,
    _ bytes: Span<UInt8>,
    in row: Row,
    to piece: inout Piece
  ) {
    let isBetter = row.place.isAsked && row.isBettered(by: record.status)
    if row.place.isAsked { piece.upgrades.count(record.status, isBetter: isBetter) }
    guard isBetter, let rows else { return append(row, to: &piece) }
    piece.count += 1
    piece.rowBytes += row.bytes.count
    piece.tally.count(record)
    rows.append(record, bytes: bytes, in: row, to: &piece.output)
  }

  /// The separator stands before each record; the writer leaves out the first one.
  private func append(
    _ record: Record,
    _ bytes: Span<UInt8>,
    with encoder: RecordEncoder,
    to output: inout [UInt8]
  ) {
    if encoder.format == .json { output.append(UInt8(ascii: ",")) }
    encoder.append(record, bytes: bytes, to: &output)
  }
}

/// How far a stream is written.
struct StreamMark: Sendable {
  var hash = Checksum()
  var isEmpty = true

  mutating func take(_ bytes: [UInt8], isHashed: Bool) {
    if isHashed { hash.update(bytes.span) }
    isEmpty = false
  }

  var output: OutputMark { OutputMark(length: hash.count, hash: hash.value, isEmpty: isEmpty) }
}

/// The hashes of what lies in the output files of a scan that is resumed.
public struct OutputHashes: Sendable {
  var main = Checksum()
  var rejects = Checksum()
  var missing = Checksum()
}

/// Writes pieces to their outputs: headers first, footers last, separators between.
struct OutputWriter {
  private struct Stream {
    let sink: Sink
    let packing: Packing?
    /// `nil` for plain lines.
    let encoder: RecordEncoder?
    /// Whether a journal is to know what was written.
    let isJournalled: Bool
    var mark = StreamMark()

    /// Writes records, before the first ones the header.
    mutating func write(_ bytes: [UInt8]) async throws(OutputFailure) {
      guard !bytes.isEmpty else { return }
      var whole = bytes
      if mark.isEmpty, let encoder {
        whole = encoder.header() + bytes.dropFirst(encoder.separator.count)
      }
      mark.take(try await sink.write(whole, packing), isHashed: isJournalled)
    }

    /// Writes the footer, and the header if there was no record.
    func end() async throws(OutputFailure) {
      let header = mark.isEmpty ? encoder?.header() ?? [] : []
      let last = header + (encoder?.footer(isEmpty: mark.isEmpty) ?? [])
      // A file of no member at all is no compressed one.
      if !last.isEmpty || packing != nil && mark.isEmpty {
        _ = try await sink.write(last, packing)
      }
    }
  }

  /// The bytes up to which pieces are put together.
  private static let smallWrite = 64 << 10

  private var main: Stream
  private var rejects: Stream?
  private var missing: Stream?

  /// The counts of what has been written.
  private(set) var tally = Tally()

  /// What became of the rows that were asked for again, as far as it has been written.
  private(set) var upgrades = UpgradeTally()

  init(_ outputs: Outputs, isJournalled: Bool) {
    func stream(_ sink: Sink, _ packing: Packing?, _ encoder: RecordEncoder?) -> Stream {
      Stream(sink: sink, packing: packing, encoder: encoder, isJournalled: isJournalled)
    }
    let main = outputs.main
    self.main = stream(main.sink, main.packing, outputs.layout == nil ? main.encoder : nil)
    rejects = outputs.rejects.map { stream($0.sink, $0.packing, $0.encoder) }
    missing = outputs.missing.map { stream($0, outputs.missingPacking, nil) }
  }

  /// Goes on behind what a journal says is written.
  mutating func resume(_ entry: JournalEntry, hashes: OutputHashes) {
    main.mark = StreamMark(hash: hashes.main, isEmpty: entry.main.isEmpty)
    rejects?.mark = StreamMark(hash: hashes.rejects, isEmpty: entry.rejects.isEmpty)
    missing?.mark = StreamMark(hash: hashes.missing, isEmpty: entry.missing.isEmpty)
    tally = entry.tally
  }

  /// Notes how far the outputs are.
  func note(in entry: inout JournalEntry) {
    entry.main = main.mark.output
    entry.rejects = rejects?.mark.output ?? OutputMark()
    entry.missing = missing?.mark.output ?? OutputMark()
    entry.tally = tally
  }

  /// Writes pieces, small ones together; what is written before a failure stays and is counted.
  mutating func write(_ pieces: [Piece]) async throws(OutputFailure) {
    var rest = pieces[...]
    while var piece = rest.popFirst() {
      while let next = rest.first, piece.output.count + next.output.count <= Self.smallWrite {
        piece.append(next)
        rest.removeFirst()
      }
      try await main.write(piece.output)
      try await rejects?.write(piece.rejects)
      try await missing?.write(piece.missing)
      tally += piece.tally
      upgrades += piece.upgrades
    }
  }

  /// Writes what is copied.
  mutating func write(rest bytes: [UInt8]) async throws(OutputFailure) {
    try await main.write(bytes)
  }

  func end() async throws(OutputFailure) {
    try await main.end()
    try await rejects?.end()
    try await missing?.end()
  }

  /// Waits until everything is on the disk, and then does something more.
  func sync(
    then settle: @escaping @Sendable () throws(OutputFailure) -> Void
  ) async throws(OutputFailure) {
    try await rejects?.sink.sync()
    try await missing?.sink.sync()
    try await main.sink.sync(then: settle)
  }
}
