import SondeInputs

/// Writes the cells added to a table.
enum NewCells {
  /// Appends a text as a cell, quoted if necessary (RFC 4180 §2).
  static func append(
    _ text: [UInt8],
    delimiter: UInt8,
    isSpreadsheet: Bool = false,
    to output: inout [UInt8]
  ) {
    let isFormula = isSpreadsheet && text.first.map("=+-@\t\r".utf8.contains) ?? false
    let isQuoted = text.contains { $0 == delimiter || "\"\r\n".utf8.contains($0) }
    if isQuoted { output.append(UInt8(ascii: "\"")) }
    if isFormula { output.append(UInt8(ascii: "'")) }
    for byte in text {
      if byte == UInt8(ascii: "\"") { output.append(byte) }
      output.append(byte)
    }
    if isQuoted { output.append(UInt8(ascii: "\"")) }
  }

  /// Appends the cells of a comma-separated row with another delimiter.
  static func append(row: Span<UInt8>, delimiter: UInt8, to output: inout [UInt8]) {
    // Usually no cell is quoted or must be.
    if row.firstIndex(of: delimiter, or: UInt8(ascii: "\""), from: 0) == row.count {
      let start = output.count
      output.append(copying: row)
      for index in start..<output.count where output[index] == UInt8(ascii: ",") {
        output[index] = delimiter
      }
      return
    }
    var cells = DelimitedRow(delimiter: UInt8(ascii: ","))
    cells.read(row, from: 0)
    for (index, cell) in cells.fields.enumerated() {
      if index > 0 { output.append(delimiter) }
      append(row.meaning(ofCell: cell), delimiter: delimiter, to: &output)
    }
  }
}
