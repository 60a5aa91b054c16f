import SondeAddresses
public import SondePrivacy

/// Encodes records in an output format.
///
/// An output consists of the ``header()``, the records separated by the ``separator``, and the
/// ``footer(isEmpty:)``. Records are encoded independently of each other, so chunks of an output
/// can be encoded in parallel; only the widths of a table's columns depend on the records passed to
/// ``prepare(for:)``.
public struct RecordEncoder: Sendable {
  private let plan: EncodingPlan

  /// The output format.
  public var format: Format { plan.format }

  /// Replaces addresses in all values; `nil` if they stay.
  public var anonymizer: Anonymizer? { plan.anonymizer }

  /// The columns in order, without duplicates.
  public var fields: [Field] { plan.fields }

  /// Makes an encoder.
  ///
  /// - Parameters:
  ///   - format: The output format.
  ///   - fields: The columns in order; duplicates are removed.
  ///   - inputs: The names of the inputs, for ``Field/input``.
  ///   - sources: The names of the providers by number, for ``Field/source``.
  ///   - spreadsheet: Whether texts that a spreadsheet would interpret as a formula get a leading
  ///     `'` (CSV only).
  ///   - width: The width of the terminal, to which table lines are cut; `nil` for no limit.
  ///   - colors: Whether a table is coloured by ECMA-48 sequences.
  ///   - sightings: The occurrences of addresses, for ``Field/hits``, ``Field/time`` and similar fields.
  ///   - added: The sources of added columns, for ``Field/added(_:)``.
  ///   - anonymizer: Replaces addresses in all values, after their columns are looked up; `nil` if
  ///     they stay.
  public init(
    format: Format,
    fields: [Field] = Field.standard,
    inputs: [String] = [],
    sources: [String] = [],
    spreadsheet: Bool = false,
    width: Int? = nil,
    colors: Bool = false,
    sightings: Sightings? = nil,
    added: [any ColumnSource] = [],
    anonymizer: Anonymizer? = nil
  ) {
    let fields = fields.withoutRepetition
    plan = EncodingPlan(
      format: format,
      fields: fields,
      layout: TableLayout(fields: fields, width: width),
      isSpreadsheet: spreadsheet,
      usesColor: colors,
      inputs: inputs,
      sources: sources,
      sightings: sightings,
      added: added,
      anonymizer: anonymizer
    )
  }

  /// A copy for another format and other columns.
  public func with(format: Format, fields: [Field]) -> RecordEncoder {
    RecordEncoder(
      format: format,
      fields: fields,
      inputs: plan.inputs,
      sources: plan.sources,
      spreadsheet: plan.isSpreadsheet,
      width: plan.layout.width,
      colors: plan.usesColor,
      sightings: plan.sightings,
      added: plan.added,
      anonymizer: plan.anonymizer
    )
  }

  /// The bytes before the first record.
  public func header() -> [UInt8] { format.header(plan) }

  /// The bytes after the last record.
  public func footer(isEmpty: Bool) -> [UInt8] { format.footer(isEmpty) }

  /// The bytes between two records.
  public var separator: [UInt8] { plan.separator }

  /// Widens the columns of a table for later records.
  public func prepare(for records: [Record]) {
    if format == .table { plan.makeRoom(for: records) }
  }

  /// The values of immediate sources for some records, for ``append(_:bytes:beside:at:to:)``.
  public func added(to records: [Record]) -> AddedBlock { plan.added(to: records) }

  /// Forgets what was kept for a record that is written.
  package func release(_ record: Record) { plan.sightings?.release(record.place) }

  /// Appends one record of a block, in whole lines.
  public func append(_ record: Record, bytes: Span<UInt8>, to output: inout [UInt8]) {
    append(record, bytes: bytes, beside: added(to: [record]), at: 0, to: &output)
  }

  /// Appends one of several records, in whole lines.
  ///
  /// `added` has the values of immediate sources for the records, this one's at `index`.
  public func append(
    _ record: Record,
    bytes: Span<UInt8>,
    beside added: AddedBlock,
    at index: Int,
    to output: inout [UInt8]
  ) {
    let row = plan.addedRow(of: record, bytes: bytes, in: added, at: index)
    if let anonymizer = plan.anonymizer {
      var replaced = AnonymousRecord(record, bytes, row, plan.addedColumns, by: anonymizer)
      // Those of the true address, for by the other one they would not be found.
      replaced.record.totals = plan.totals(of: record)
      return append(replaced.record, replaced.bytes.span, replaced.row, to: &output)
    }
    append(record, bytes, row, to: &output)
  }

  private func append(
    _ record: Record,
    _ bytes: Span<UInt8>,
    _ row: AddedRow,
    to output: inout [UInt8]
  ) {
    output.append(addingCapacity: plan.capacity(for: record, row)) { [plan] output in
      plan.append(plan, record, bytes, row, &output)
    }
  }

  /// Appends the records of a block, separated by the separator.
  public func append(_ block: RecordBlock, to output: inout [UInt8]) {
    let added = added(to: block.records)
    for (index, record) in block.records.enumerated() {
      if index > 0 { output.append(contentsOf: separator) }
      append(record, bytes: block.bytes.span, beside: added, at: index, to: &output)
    }
  }
}

extension [Field] {
  /// The fields without duplicates, each at its first position.
  var withoutRepetition: [Field] {
    var seen: Set<Field> = []
    return filter { seen.insert($0).inserted }
  }
}
