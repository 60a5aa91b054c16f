/// Columns whose values come with the line of a hit: what is captured in it.
public struct CapturedColumns: ColumnSource {
  /// The columns in order.
  public let columns: [AddedColumn]

  /// Creates text columns with these names.
  public init(_ names: [String]) { columns = names.map { AddedColumn(name: $0) } }
}

extension RecordBlock {
  /// Sets the values of the columns of ``CapturedColumns`` in the record at a position; empty ones are
  /// missing.
  public mutating func capture(_ values: [[UInt8]], at position: Int) {
    let start = bytes.count
    let size = values.reduce(0) { $0 + $1.count }
    bytes.append(addingCapacity: FoundValues.capacity(for: values.count, ofSize: size)) { output in
      for value in values { FoundValues.append(value.span, to: &output) }
    }
    records[position].captured = TextRange(
      offset: UInt32(start),
      count: UInt32(bytes.count - start)
    )
  }
}
