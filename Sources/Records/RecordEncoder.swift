import Addresses

/// Turns records into the bytes of an output format.
///
/// An output is the ``header()``, the records with the ``separator`` between each two, and the
/// ``footer(isEmpty:)``. Encoding a record depends on nothing that was written before it, so
/// parts of an output can be encoded at the same time and put together afterwards.
public struct RecordEncoder: Sendable {
  /// The form of the output.
  public let format: Format

  /// The columns, in their order, each once.
  public let fields: [Field]

  /// The names that the numbers in ``Record/input`` stand for.
  public var inputs: [String] {
    didSet { inputNames = inputs.map { Array($0.utf8) } }
  }

  let columns: [Column]
  let isSpreadsheet: Bool
  let layout: TableLayout
  let usesColor: Bool
  private(set) var inputNames: [[UInt8]]

  /// Makes an encoder.
  ///
  /// - Parameters:
  ///   - format: The form of the output.
  ///   - fields: The columns in their order; one that is named again is shown once.
  ///   - inputs: The names of the inputs, for ``Field/input``.
  ///   - spreadsheet: Whether texts that a spreadsheet would take for a formula get a leading `'`
  ///     (CSV only).
  ///   - width: The columns of the terminal, to which lines of a table are cut; `nil` does not cut.
  ///   - colors: Whether a table is coloured by ECMA-48 sequences.
  public init(
    format: Format,
    fields: [Field] = Field.standard,
    inputs: [String] = [],
    spreadsheet: Bool = false,
    width: Int? = nil,
    colors: Bool = false
  ) {
    self.format = format
    self.fields = fields.withoutRepetition
    self.inputs = inputs
    columns = self.fields.map(Column.init)
    isSpreadsheet = spreadsheet
    layout = TableLayout(fields: self.fields, width: width)
    usesColor = colors
    inputNames = inputs.map { Array($0.utf8) }
  }

  /// What comes before the first record.
  public func header() -> [UInt8] {
    switch format {
    case .csv: Array((fields.map(\.name).joined(separator: ",") + "\n").utf8)
    case .ndjson: []
    case .json: Array("[".utf8)
    case .table: tableHeader()
    }
  }

  /// What comes after the last record.
  public func footer(isEmpty: Bool) -> [UInt8] {
    format == .json ? Array((isEmpty ? "]\n" : "\n]\n").utf8) : []
  }

  /// What comes between two records.
  public var separator: [UInt8] { format == .json ? [UInt8(ascii: ",")] : [] }

  /// Appends the bytes of one record, which are whole lines.
  ///
  /// - Parameters:
  ///   - record: The record.
  ///   - bytes: The bytes of its block.
  ///   - output: Where to append.
  public func append(_ record: Record, bytes: Span<UInt8>, to output: inout [UInt8]) {
    let ip = AddressText(of: record, bytes: bytes, scratch: &output)
    let capacity = capacity(for: record, ip: ip)
    output.append(addingCapacity: capacity) { output in
      switch format {
      case .csv: appendCSV(record, ip: ip, bytes: bytes, to: &output)
      case .ndjson: appendJSON(record, ip: ip, bytes: bytes, to: &output)
      case .json:
        output.append(UInt8(ascii: "\n"))
        appendJSON(record, ip: ip, bytes: bytes, to: &output)
        _ = output.removeLast()
      case .table: appendTable(record, ip: ip, bytes: bytes, to: &output)
      }
    }
  }

  /// Appends the records of a block, with the separator between each two.
  public func append(_ block: RecordBlock, to output: inout [UInt8]) {
    for index in block.records.indices {
      if index > 0 { output.append(contentsOf: separator) }
      append(block.records[index], bytes: block.bytes.span, to: &output)
    }
  }

  /// No fewer bytes than a record takes in any format.
  ///
  /// A byte of text becomes at most six (`\u001f`), and no text is in two columns.
  private func capacity(for record: Record, ip: AddressText) -> Int {
    var texts = ip.long.count
    for index in record.texts.indices { texts += Int(record.texts[index].count) }
    let input = Int(record.input)
    if input < inputNames.count { texts += inputNames[input].count }
    let fixed = (columns.count + 1) * Column.fixedCapacity + layout.capacity
    return fixed + 6 * texts + OutputSpan<UInt8>.slack
  }

  /// The name of a record's input; no bytes where it has none.
  @inline(__always)
  func inputName(of record: Record) -> [UInt8] {
    let input = Int(record.input)
    return input < inputNames.count ? inputNames[input] : []
  }
}

/// The canonical text of a record's address, with its zone.
struct AddressText {
  /// The text, where there is no zone; empty for a record without an address.
  private(set) var short = ShortText("")

  /// The text with its zone, which may hold anything and be long; else empty.
  private(set) var long: [UInt8] = []

  /// Writes the text behind what `scratch` holds, and takes it away again.
  @inline(__always)
  init(of record: Record, bytes: Span<UInt8>, scratch: inout [UInt8]) {
    guard let address = record.address else { return }
    let start = scratch.count
    address.append(to: &scratch)
    let zone = record[.item]
    if zone.isEmpty || !address.isLinkLocal {
      short = ShortText(scratch.span.extracting(start...))
    } else {
      long = Array(scratch[start...]) + [UInt8(ascii: "%")]
      long.append(copying: bytes.extracting(zone.indices))
    }
    scratch.removeLast(scratch.count - start)
  }
}

extension TextRange {
  /// The indices of the bytes.
  @inline(__always)
  var indices: Range<Int> { Int(offset)..<Int(offset) + Int(count) }
}

extension [UInt8] {
  /// Appends the bytes of a span.
  mutating func append(copying text: Span<UInt8>) {
    append(addingCapacity: text.count + OutputSpan<UInt8>.slack) { $0.append(copying: text) }
  }
}

extension [Field] {
  /// The fields, each where it stands first.
  var withoutRepetition: [Field] {
    var seen: Set<Field> = []
    return filter { seen.insert($0).inserted }
  }
}
