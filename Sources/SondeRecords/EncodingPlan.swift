import SondeAddresses
import SondePrivacy
import SondeSystem
import Synchronization

/// The data that an encoder prepares before the first record.
///
/// It is a class, so that encoding a record touches one reference count instead of one per array.
final class EncodingPlan: Sendable {
  let format: Format
  let append: Format.Append
  let separator: [UInt8]
  private let growth: Int
  let fields: [Field]
  let columns: [Column]
  /// The JSON keys of added columns, by index; empty for others.
  let addedKeys: [[UInt8]]
  private let shape: Mutex<TableLayout>
  let isSpreadsheet: Bool
  let usesColor: Bool
  let inputs: [String]
  /// The occurrences of addresses, if requested.
  let sightings: Sightings?
  let added: [any ColumnSource]
  /// Replaces addresses in all values; `nil` if they stay.
  let anonymizer: Anonymizer?
  private let adding: AddingSources
  private let waitsForAnswers: Bool
  private let showsAdded: Bool
  let sources: [String]
  private let inputNames: [[UInt8]]
  private let sourceNames: [[UInt8]]

  /// A sufficient size for everything in a record but its texts.
  private let fixedCapacity: Int

  init(
    format: Format,
    fields: [Field],
    layout: TableLayout,
    isSpreadsheet: Bool,
    usesColor: Bool,
    inputs: [String],
    sources: [String],
    sightings: Sightings?,
    added: [any ColumnSource],
    anonymizer: Anonymizer?
  ) {
    self.format = format
    (self.added, adding) = (added, AddingSources(added))
    waitsForAnswers = adding.waitsForAnswers
    showsAdded = fields.contains(where: \.isAdded)
    (append, separator, growth) = (format.append, format.separator, format.growth)
    self.fields = fields
    columns = fields.map { [columns = added.flatMap(\.columns)] in Column($0, among: columns) }
    addedKeys = fields.map(Column.addedKey(of:))
    shape = Mutex(layout)
    (self.isSpreadsheet, self.sightings, self.usesColor) = (isSpreadsheet, sightings, usesColor)
    (self.inputs, self.sources, self.anonymizer) = (inputs, sources, anonymizer)
    inputNames = inputs.map { Array((anonymizer?.text($0) ?? $0).utf8) }
    sourceNames = sources.map { Array($0.utf8) }
    let longestName = (inputNames + sourceNames).map(\.count).max() ?? 0
    fixedCapacity =
      (columns.count + 1) * Column.fixedCapacity + layout.capacity + Self.longestAddress
      + 2 * longestName * growth + OutputSpan<UInt8>.slack
      + (fields.contains(.text) ? growth * Sightings.longestText : 0)
      + addedKeys.reduce(0) { $0 + $1.count }
  }

  /// The length of the longest address without a zone (RFC 5952).
  private static let longestAddress = 39

  var layout: TableLayout { shape.withLock { $0 } }

  /// Widens a table for the addresses of later records.
  func makeRoom(for records: [Record]) {
    var addresses = records.compactMap(\.address)
    anonymizer?.replace(&addresses)
    let longest = addresses.reduce(0) { max($0, "\($1)".utf8.count) }
    shape.withLock { layout in layout = layout.widened(for: longest) ?? layout }
  }

  /// A sufficient size for a record; each text is in one column only.
  @inline(__always)
  func capacity(for record: Record, _ added: AddedRow) -> Int {
    fixedCapacity &+ growth &* (added.size &+ record.texts.size)
  }

  /// The added columns of all sources.
  var addedColumns: [AddedColumn] { adding.columns }

  /// The values of immediate sources for some records' addresses.
  func added(to records: [Record]) -> AddedBlock { showsAdded ? adding.values(of: records) : .none }

  /// The values of all sources for a record's address; `block` has those of the immediate ones.
  @inline(__always)
  func addedRow(
    of record: Record,
    bytes: Span<UInt8>,
    in block: AddedBlock,
    at index: Int
  ) -> AddedRow {
    guard showsAdded, record.address != nil else { return .none }
    let known = AddedRow(block, at: index)
    return waitsForAnswers ? adding.row(of: record, bytes: bytes, beside: known) : known
  }

  func totals(of record: Record) -> Totals? { sightings?.totals(of: record) }

  /// A value of a record's occurrence; empty if there is none.
  func text(_ value: OccurrenceValue, of record: Record) -> [UInt8] {
    if value == .text { return sightings?.text(of: record) ?? [] }
    guard let time = record.place.time else { return [] }
    return Array(value.text(of: time, in: sightings?.rules.zone ?? .utc).utf8)
  }

  /// The name of the provider that answered; empty if none did.
  @inline(__always)
  func sourceName(of record: Record) -> [UInt8] {
    guard let source = record.source else { return [] }
    return source.number < sourceNames.count ? sourceNames[Int(source.number)] : []
  }

  /// The name of a record's input; empty if it has none.
  @inline(__always)
  func inputName(of record: Record) -> [UInt8] {
    let input = Int(record.place.input)
    return input < inputNames.count ? inputNames[input] : []
  }
}

extension ShortText {
  /// Creates the canonical text of an address, or nothing.
  ///
  /// The text is written to the end of `scratch` and removed again, which allocates nothing.
  @inline(__always)
  init(of address: Address?, scratch: inout OutputSpan<UInt8>) {
    guard let address else {
      self.init()
      return
    }
    let start = scratch.count
    address.append(to: &scratch)
    self.init(scratch.span.extracting(start...))
    scratch.removeLast(scratch.count &- start)
  }
}

extension Record {
  /// The zone of a link-local address, without its `%`.
  @inline(__always)
  var zone: TextRange {
    guard let address, address.isLinkLocal else { return .none }
    return self[.item]
  }
}

extension TextRange {
  @inline(__always)
  var indices: Range<Int> { Int(offset)..<Int(offset) + Int(count) }
}
