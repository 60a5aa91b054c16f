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
  @inline(__always)
  mutating func next(in bytes: Span<UInt8>) -> Range<Int> {
    guard position + Self.lengthSize <= end else { return end..<end }
    let length = UInt32(truncatingIfNeeded: bytes.word(at: position))
    let start = position + Self.lengthSize
    position = min(start + Int(length), end)
    return start..<position
  }

  /// A sufficient size for values of `size` bytes in all.
  static func capacity(for count: Int, ofSize size: Int) -> Int {
    count * lengthSize + size + OutputSpan<UInt8>.slack
  }

  /// Sets the length of a value that reaches from its length to the end.
  static func setLength(at start: Int, in bytes: inout [UInt8]) {
    let length = bytes.count - start - lengthSize
    for index in 0..<lengthSize {
      bytes[start + index] = UInt8(truncatingIfNeeded: length >> (8 * index))
    }
  }

  @inline(__always)
  static func append(_ value: Span<UInt8>, to output: inout OutputSpan<UInt8>) {
    output.append(word: UInt64(value.count), count: lengthSize)
    output.append(copying: value)
  }
}

/// Writes the values that a source found for an address where its record keeps them.
public struct FoundWriter: Sendable {
  fileprivate var bytes: [UInt8] = []
  fileprivate private(set) var faults = SourceFaults()

  /// Adds a text; none if it is empty.
  public mutating func append(text: String) {
    let text = text.utf8Span.span
    let capacity = FoundValues.capacity(for: 1, ofSize: text.count)
    bytes.append(addingCapacity: capacity) { FoundValues.append(text, to: &$0) }
  }

  /// Adds a finite number in its shortest form; none if `nil`.
  public mutating func append(number: Double?) {
    guard let number else { return append(text: "") }
    let start = bytes.count
    append(text: "")
    appendShortest(number, to: &bytes)
    FoundValues.setLength(at: start, in: &bytes)
  }

  /// Adds a status of the source.
  public mutating func append(status: Status) {
    append(text: status.name)
    if status == .failed || status == .networkLost {
      faults = faults.adding(0, isLoss: status == .networkLost)
    }
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

    /// The position of a column's value; empty if there is none.
    @inline(__always)
    fileprivate func place(_ column: Int) -> Range<Int> {
      row.map { values[$0 &* columns.count &+ column] } ?? 0..<0
    }

    /// A sufficient size for all values.
    fileprivate var capacity: Int {
      let size = columns.indices.reduce(0) { $0 + place($1).count }
      return FoundValues.capacity(for: columns.count, ofSize: size)
    }
  }

  /// Adds the results of the sources that are asked, in their order, to the record at a position.
  public mutating func add(to position: Int, _ found: [Found]) {
    let start = bytes.count
    var faults = SourceFaults()
    bytes.append(addingCapacity: found.reduce(0) { $0 + $1.capacity }) { output in
      for (source, found) in found.enumerated() {
        for column in found.columns.indices {
          let value = found.values.bytes.span.extracting(found.place(column))
          FoundValues.append(value, to: &output)
          guard found.columns[column].form == .status else { continue }
          let isLoss = value.isEqual(to: Status.networkLost.name)
          if isLoss || value.isEqual(to: Status.failed.name) {
            faults = faults.adding(source, isLoss: isLoss)
          }
        }
      }
    }
    records[position].found = TextRange(offset: UInt32(start), count: UInt32(bytes.count - start))
    records[position].faults = faults
  }

  /// Adds the values of the only source that is asked to the record at a position, which `write`
  /// appends in the order of the columns.
  public mutating func add(to position: Int, _ write: (inout FoundWriter) -> Void) {
    let start = bytes.count
    var writer = FoundWriter()
    swap(&writer.bytes, &bytes)
    write(&writer)
    swap(&writer.bytes, &bytes)
    records[position].found = TextRange(offset: UInt32(start), count: UInt32(bytes.count - start))
    records[position].faults = writer.faults
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

extension Span<UInt8> {
  fileprivate func isEqual(to text: String) -> Bool {
    count == text.utf8.count && zip(indices, text.utf8).allSatisfy { self[$0] == $1 }
  }
}
