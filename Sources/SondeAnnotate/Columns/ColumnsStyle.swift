public import SondeRecords

/// Behind the last cell of each row of a table new ones, with what is known of the addresses in it.
public struct ColumnsStyle: AnnotationStyle {
  private let encoder: RecordEncoder
  private let rules: TableRules

  /// Makes the style.
  ///
  /// - Parameters:
  ///   - encoder: Writes the new cells of an address, as comma-separated values.
  ///   - columns: The names of the columns that hold addresses; none where the tables are to tell.
  ///   - delimiter: What parts cells; `nil` where the header of each table is to tell.
  ///   - isSpreadsheet: Whether new cells must be safe in a spreadsheet.
  public init(
    encoder: RecordEncoder,
    columns: [String],
    delimiter: UInt8?,
    isSpreadsheet: Bool
  ) {
    self.encoder = encoder
    rules = TableRules(
      columns: columns,
      delimiter: delimiter,
      fields: encoder.fields,
      isSpreadsheet: isSpreadsheet
    )
  }

  /// Cuts behind whole rows.
  public func cutter(of name: String, behindOpenLine isBehindOpenLine: Bool) -> any LineCutter {
    TableCutter(rules, name: name, behindOpenLine: isBehindOpenLine)
  }

  /// Unless networks or columns of sources are shown.
  public var writesAnswersAlike: Bool { encoder.writesAnswersAlike }

  /// Appends the new cells of an entry, with a comma between each two.
  public func append(_ record: Record, bytes: Span<UInt8>, to output: inout [UInt8]) {
    let start = output.count
    encoder.append(record, bytes: bytes, to: &output)
    // The line's end, and what makes a line of one empty value visible.
    output.removeLast()
    if output[start...].elementsEqual("\"\"".utf8) { output.removeLast(2) }
  }
}
