public import SondeLogs
public import SondeRecords

extension Field {
  /// The default columns added for each column with addresses.
  public static let columns: [Field] = [
    .status, .countryCode, .country, .region, .city, .asn, .asName,
  ]
}

/// Appends cells to each row of a table, with information about its addresses.
public struct ColumnsStyle: AnnotationStyle {
  private let encoder: RecordEncoder
  private let rules: TableRules

  /// Creates the style; `encoder` writes the new cells of an address as comma-separated values.
  ///
  /// Without `columns`, those that hold addresses are detected in each table, and without a
  /// `delimiter`, it is detected in each header. `isSpreadsheet` makes new cells safe in a
  /// spreadsheet.
  public init(encoder: RecordEncoder, columns: [String], delimiter: UInt8?, isSpreadsheet: Bool) {
    self.encoder = encoder
    rules = TableRules(
      columns: columns,
      delimiter: delimiter,
      fields: encoder.fields,
      isSpreadsheet: isSpreadsheet,
      isAnonymized: encoder.anonymizer != nil
    )
  }

  /// Cuts after whole rows.
  public func cutter(of name: String, picking _: LinePicker?, refangs: Bool) -> any LineCutter {
    var rules = rules
    rules.refangs = refangs
    return TableCutter(rules, name: name)
  }

  /// True unless networks or columns of sources are shown.
  public var writesAnswersAlike: Bool { encoder.writesAnswersAlike }

  /// Appends the new cells of an entry, separated by commas.
  public func append(_ record: Record, bytes: Span<UInt8>, to output: inout [UInt8]) {
    let start = output.count
    encoder.append(record, bytes: bytes, to: &output)
    // Removes the line end, and the quotes of a single empty value.
    output.removeLast()
    if output[start...].elementsEqual("\"\"".utf8) { output.removeLast(2) }
  }
}
