/// Everybody who adds columns in a run, in the order of their columns.
struct AddingSources: Sendable {
  /// Where the values of a source come from.
  private enum Origin: Sendable {
    case immediate(any ImmediateSource)
    /// From what it has found; the number that it has among those that are asked.
    case found(Int)
  }

  /// The columns of all of them.
  let columns: [AddedColumn]
  private let sources: [(origin: Origin, count: Int)]

  init(_ all: [any ColumnSource]) {
    var (sources, asked): ([(Origin, Int)], Int) = ([], 0)
    for source in all {
      if let immediate = source as? any ImmediateSource {
        sources.append((.immediate(immediate), source.columns.count))
      } else {
        sources.append((.found(asked), source.columns.count))
        asked += 1
      }
    }
    (self.sources, columns) = (sources, all.flatMap(\.columns))
  }

  /// The number of a source among those that are asked; `nil` for one that knows its values at once.
  func number(of source: Int) -> Int? {
    if case .found(let number) = sources[source].origin { number } else { nil }
  }

  /// What all of them say of a record's address.
  func values(of record: Record, bytes: Span<UInt8>) -> AddedValues {
    guard let address = record.address else { return .none }
    var values = AddedValues()
    var found = FoundValues(of: record)
    for (origin, count) in sources {
      switch origin {
      case .immediate(let source): source.append(valuesOf: address, to: &values)
      case .found:
        for _ in 0..<count { values.append(copying: bytes.extracting(found.next(in: bytes))) }
      }
    }
    return values
  }

  /// What one of them says of a record's address in one of its columns; nothing where it has no value.
  func value(
    _ column: Int,
    of source: Int,
    in record: Record,
    bytes: Span<UInt8>
  ) -> [UInt8] {
    guard let address = record.address else { return [] }
    var values = AddedValues()
    if case .immediate(let immediate) = sources[source].origin {
      immediate.append(valuesOf: address, to: &values)
      return Array(values.bytes[values[column]])
    }
    var found = FoundValues(of: record)
    for (origin, count) in sources[..<source] {
      if case .found = origin { for _ in 0..<count { _ = found.next(in: bytes) } }
    }
    for _ in 0..<column { _ = found.next(in: bytes) }
    values.append(copying: bytes.extracting(found.next(in: bytes)))
    return values.bytes
  }
}
