import SondeAddresses

/// All sources that add columns in a run, in the order of their columns.
struct AddingSources: Sendable {
  private enum Origin: Sendable {
    case immediate(any ImmediateSource)
    /// Its results; with its number among the sources that are asked.
    case found(Int)
    /// Values of the line.
    case captured
  }

  let columns: [AddedColumn]
  /// Whether any value depends on more than the address.
  let waitsForAnswers: Bool
  private let sources: [(origin: Origin, count: Int)]

  init(_ all: [any ColumnSource]) {
    var (sources, asked): ([(Origin, Int)], Int) = ([], 0)
    for source in all {
      if let immediate = source as? any ImmediateSource {
        sources.append((.immediate(immediate), source.columns.count))
      } else if source is CapturedColumns {
        sources.append((.captured, source.columns.count))
      } else {
        sources.append((.found(asked), source.columns.count))
        asked += 1
      }
    }
    (self.sources, columns) = (sources, all.flatMap(\.columns))
    let immediate = all.compactMap { $0 as? any ImmediateSource }
    waitsForAnswers = asked > 0 || immediate.contains(where: \.isAboutSystems)
  }

  /// Whether a source's values are known only with the answer about the address.
  func waitsForSystem(_ source: Int) -> Bool {
    guard case .immediate(let immediate) = sources[source].origin else { return false }
    return immediate.isAboutSystems
  }

  /// The number of a source among those that are asked; `nil` for an immediate source.
  func number(of source: Int) -> Int? {
    if case .found(let number) = sources[source].origin { number } else { nil }
  }

  /// Whether a source's values come with the line.
  func isCaptured(_ source: Int) -> Bool {
    if case .captured = sources[source].origin { true } else { false }
  }

  /// The values of immediate sources for some records' addresses.
  func values(of records: [Record]) -> AddedBlock {
    let tables = sources.compactMap { origin, count -> AddedBlock? in
      guard case .immediate(let source) = origin else { return nil }
      let addresses = records.map { source.subject(of: $0) ?? Self.noAddress }
      var values = AddedValues()
      source.append(valuesOf: addresses.span, to: &values)
      return AddedBlock(values, width: count)
    }
    return tables.count > 1 ? AddedBlock(joining: tables, of: records.count) : tables.first ?? .none
  }

  /// A placeholder for a missing address, whose values are not shown.
  private static let noAddress = Address(high: 0, low: 0)

  /// The values of all sources for a record's address, one per column; `known` has immediate ones.
  func row(of record: Record, bytes: Span<UInt8>, beside known: AddedRow) -> AddedRow {
    var values = AddedValues()
    values.reserve(columns.count, ofSize: record.found.length + record.captured.length + known.size)
    var found = FoundValues(of: record)
    var next = 0
    for (origin, count) in sources {
      switch origin {
      case .found:
        for _ in 0..<count { values.append(copying: bytes.extracting(found.next(in: bytes))) }
      case .captured:
        var captured = FoundValues(in: record.captured)
        for _ in 0..<count { values.append(copying: bytes.extracting(captured.next(in: bytes))) }
      case .immediate(let source) where source.isAboutSystems:
        let subject = source.subject(of: record) ?? Self.noAddress
        source.append(valuesOf: CollectionOfOne(subject).span, to: &values)
        next += count
      case .immediate:
        for place in next..<next + count {
          values.append(copying: known.bytes.span.extracting(known[place]))
        }
        next += count
      }
    }
    return AddedRow(AddedBlock(values, width: values.count), at: 0)
  }

  /// A source's value for a record's address in one of its columns; empty if there is none.
  func value(_ column: Int, of source: Int, in record: Record, bytes: Span<UInt8>) -> [UInt8] {
    guard record.address != nil || isCaptured(source) else { return [] }
    var values = AddedValues()
    if case .immediate(let immediate) = sources[source].origin {
      guard let address = immediate.subject(of: record) else { return [] }
      immediate.append(valuesOf: CollectionOfOne(address).span, to: &values)
      return Array(values.bytes[values[column]])
    }
    var found = FoundValues(of: record)
    if isCaptured(source) {
      found = FoundValues(in: record.captured)
    } else {
      for (origin, count) in sources[..<source] {
        if case .found = origin { for _ in 0..<count { _ = found.next(in: bytes) } }
      }
    }
    for _ in 0..<column { _ = found.next(in: bytes) }
    values.append(copying: bytes.extracting(found.next(in: bytes)))
    return values.bytes
  }
}
