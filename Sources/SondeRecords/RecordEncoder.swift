import SondeAddresses

/// Turns records into the bytes of an output format.
///
/// An output is the ``header()``, the records with the ``separator`` between each two, and the
/// ``footer(isEmpty:)``. Encoding a record depends on nothing that was written before it, so
/// parts of an output can be encoded at the same time and put together afterwards; only the columns
/// of a table depend on the records that it has been told of by ``prepare(for:)``.
public struct RecordEncoder: Sendable {
  /// All that is known before the first record.
  private let plan: EncodingPlan

  /// The form of the output.
  public var format: Format { plan.format }

  /// The columns, in their order, each once.
  public var fields: [Field] { plan.fields }

  /// Makes an encoder.
  ///
  /// - Parameters:
  ///   - format: The form of the output.
  ///   - fields: The columns in their order; one that is named again is shown once.
  ///   - inputs: The names of the inputs, for ``Field/input``.
  ///   - sources: The names of those who may answer, by their numbers, for ``Field/source``.
  ///   - spreadsheet: Whether texts that a spreadsheet would take for a formula get a leading `'`
  ///     (CSV only).
  ///   - width: The columns of the terminal, to which lines of a table are cut; `nil` does not cut.
  ///   - colors: Whether a table is coloured by ECMA-48 sequences.
  ///   - traffic: What was counted in captures, for ``Field/packets`` and the like.
  ///   - added: Who adds columns, for ``Field/added(_:)``.
  public init(
    format: Format,
    fields: [Field] = Field.standard,
    inputs: [String] = [],
    sources: [String] = [],
    spreadsheet: Bool = false,
    width: Int? = nil,
    colors: Bool = false,
    traffic: Traffic? = nil,
    added: [any ColumnSource] = []
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
      traffic: traffic,
      added: added
    )
  }

  /// The same encoder for another form and other columns.
  public func with(format: Format, fields: [Field]) -> RecordEncoder {
    RecordEncoder(
      format: format,
      fields: fields,
      inputs: plan.inputs,
      sources: plan.sources,
      spreadsheet: plan.isSpreadsheet,
      width: plan.layout.width,
      colors: plan.usesColor,
      traffic: plan.traffic,
      added: plan.added
    )
  }

  /// What comes before the first record.
  public func header() -> [UInt8] { format.header(plan) }

  /// What comes after the last record.
  public func footer(isEmpty: Bool) -> [UInt8] { format.footer(isEmpty) }

  /// What comes between two records.
  public var separator: [UInt8] { plan.separator }

  /// Makes the columns of a table wide enough for records that are to come.
  public func prepare(for records: [Record]) {
    if format == .table { plan.makeRoom(for: records) }
  }

  /// What tables say of the addresses of some records, looked up together.
  ///
  /// - Parameter records: The records.
  /// - Returns: What ``append(_:bytes:beside:at:to:)`` shows of it.
  public func added(to records: [Record]) -> AddedBlock { plan.added(to: records) }

  /// Appends the bytes of one record, which are whole lines.
  ///
  /// - Parameters:
  ///   - record: The record.
  ///   - bytes: The bytes of its block.
  ///   - output: Where to append.
  public func append(_ record: Record, bytes: Span<UInt8>, to output: inout [UInt8]) {
    append(record, bytes: bytes, beside: added(to: [record]), at: 0, to: &output)
  }

  /// Appends the bytes of one record of many, which are whole lines.
  ///
  /// - Parameters:
  ///   - record: The record.
  ///   - bytes: The bytes of its block.
  ///   - added: What tables say of the addresses of many records.
  ///   - index: Which of these records has its address.
  ///   - output: Where to append.
  public func append(
    _ record: Record,
    bytes: Span<UInt8>,
    beside added: AddedBlock,
    at index: Int,
    to output: inout [UInt8]
  ) {
    let row = plan.addedRow(of: record, bytes: bytes, in: added, at: index)
    output.append(addingCapacity: plan.capacity(for: record, row)) { [plan] output in
      plan.append(plan, record, bytes, row, &output)
    }
  }

  /// Appends the records of a block, with the separator between each two.
  public func append(_ block: RecordBlock, to output: inout [UInt8]) {
    let added = added(to: block.records)
    for (index, record) in block.records.enumerated() {
      if index > 0 { output.append(contentsOf: separator) }
      append(record, bytes: block.bytes.span, beside: added, at: index, to: &output)
    }
  }
}

extension [Field] {
  /// The fields, each where it stands first.
  var withoutRepetition: [Field] {
    var seen: Set<Field> = []
    return filter { seen.insert($0).inserted }
  }
}
