/// The values found for an address by sources that are asked, each preceded by its length in the
/// bytes of a block.
struct FoundValues {
  /// The size of a length in bytes.
  private static let lengthSize = 4

  private var position: Int
  private let end: Int

  /// Starts before the first value of a record.
  init(of record: Record) { self.init(in: record.found) }

  /// Starts before the first value of a range.
  init(in range: TextRange) {
    position = Int(range.offset)
    end = position + Int(range.count)
  }

  /// The position of the next value; empty after the last.
  mutating func next(in bytes: Span<UInt8>) -> Range<Int> {
    guard position + Self.lengthSize <= end else { return end..<end }
    var length = 0
    for index in 0..<Self.lengthSize { length |= Int(bytes[position + index]) << (8 * index) }
    let start = position + Self.lengthSize
    position = min(start + length, end)
    return start..<position
  }

  static func append(_ value: ArraySlice<UInt8>, to bytes: inout [UInt8]) {
    for index in 0..<lengthSize {
      bytes.append(UInt8(truncatingIfNeeded: value.count >> (8 * index)))
    }
    bytes += value
  }
}

extension RecordBlock {
  /// The result of a source for a record's address.
  public struct Found {
    let columns: [AddedColumn]
    let values: AddedValues
    let row: Int?

    /// Creates a result from a row of a source's values; `nil` if the address was not asked about.
    public init(_ columns: [AddedColumn], _ values: AddedValues, row: Int?) {
      (self.columns, self.values, self.row) = (columns, values, row)
    }
  }

  /// Adds the results of the sources that are asked, in their order, to the record at a position.
  public mutating func add(to position: Int, _ found: [Found]) {
    let start = bytes.count
    var faults = SourceFaults()
    for (source, found) in found.enumerated() {
      for (index, column) in found.columns.enumerated() {
        let place = found.row.map { found.values[$0 * found.columns.count + index] } ?? 0..<0
        let value = found.values.bytes[place]
        FoundValues.append(value, to: &bytes)
        guard column.form == .status else { continue }
        let isLoss = value.elementsEqual(Status.networkLost.name.utf8)
        if isLoss || value.elementsEqual(Status.failed.name.utf8) {
          faults = faults.adding(source, isLoss: isLoss)
        }
      }
    }
    records[position].found = TextRange(offset: UInt32(start), count: UInt32(bytes.count - start))
    records[position].faults = faults
  }

  /// The record at a position alone, with its texts and the results of the sources that are asked.
  public func alone(_ position: Int) -> RecordBlock {
    var block = RecordBlock()
    var record = records[position]
    for field in TextField.allCases {
      // An empty one may lie behind all that is copied.
      record[field] =
        record[field].isEmpty ? .none : block.append(copying: record[field], of: self)
    }
    record.found = block.append(copying: record.found, of: self)
    record.captured = block.append(copying: record.captured, of: self)
    block.records = [record]
    return block
  }

  private mutating func append(copying range: TextRange, of other: borrowing RecordBlock)
    -> TextRange
  {
    let start = bytes.count
    bytes += other.bytes[range.indices]
    return TextRange(offset: UInt32(start), count: range.count)
  }
}

extension Record {
  /// The texts of the values that sources which are asked found, in the order of their columns; empty
  /// for missing ones.
  package func foundTexts(_ count: Int, in bytes: Span<UInt8>) -> [String] {
    var values = FoundValues(of: self)
    return (0..<count).map { _ in
      let place = values.next(in: bytes)
      return String(decoding: place.map { bytes[$0] }, as: UTF8.self)
    }
  }
}
