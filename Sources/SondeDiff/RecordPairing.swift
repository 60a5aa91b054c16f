import SondeInputs
import SondeRecords
import SondeSystem

/// Pairs the records of two sorted files and compares their values.
final class RecordPairing {
  /// The most records and differences per step.
  private static let step = 4096

  private struct Compared {
    let name: String
    let comparison: CellComparison
    /// The numbers of the column in each file; `nil` where it has none.
    let old: Int?
    let new: Int?
  }

  /// The values of the current record of a file, by the number of the column.
  private struct Cells {
    var places: [Range<Int>]
    var types: [CellType]

    init(_ names: FieldNames) {
      places = Array(repeating: 0..<0, count: names.all.count)
      types = Array(repeating: .plain, count: names.all.count)
    }

    @inline(__always)
    mutating func take(_ reader: RunReader) {
      for index in places.indices { places[index] = 0..<0 }
      PackedRecord.eachCell(in: reader.buffer, of: reader.record) { column, type, place in
        places[column] = place
        types[column] = type
      }
    }

    @inline(__always)
    func place(_ column: Int?) -> Range<Int> { column.map { places[$0] } ?? 0..<0 }

    func value(_ column: Int?, _ reader: RunReader) -> CellValue {
      guard let column else { return CellValue() }
      return CellValue(type: types[column], bytes: Array(reader.buffer[places[column]]))
    }
  }

  private let old: SortedRecords
  private let new: SortedRecords
  private let fields: [Compared]
  private var oldCells: Cells
  private var newCells: Cells
  private var changed: [Int]
  private var result = DiffCounts()
  /// The position of the country's code among the fields.
  private let country: Int?

  /// The fields that the user names, and no file has.
  let missing: [String]

  init(_ old: SortedRecords, _ new: SortedRecords, _ choice: FieldChoice) {
    (self.old, self.new) = (old, new)
    let both = old.names.order.map { old.names.all[$0] }
      .filter { new.names.number(of: $0) != nil }
    let names = (choice.named.isEmpty ? both : choice.named).filter { $0 != Field.ip.name }
    fields = names.map {
      Compared(
        name: $0,
        comparison: CellComparison(of: $0),
        old: old.names.number(of: $0),
        new: new.names.number(of: $0)
      )
    }
    // JSON leaves out what has no value, and an empty file has no columns.
    let isEmpty = old.names.all.isEmpty && new.names.all.isEmpty
    missing =
      isEmpty
      ? []
      : fields.filter { $0.old == nil && $0.new == nil && Field(name: $0.name) == nil }.map(\.name)
    country = names.firstIndex(of: Field.countryCode.name)
    (oldCells, newCells) = (Cells(old.names), Cells(new.names))
    changed = Array(repeating: 0, count: fields.count)
  }

  var counts: DiffCounts {
    var counts = result
    counts.fields = zip(fields, changed).map { ($0.name, $1) }
    return counts
  }

  /// The next differences; empty at the end.
  func next() throws(InputError) -> [RecordChange] {
    var changes: [RecordChange] = []
    do throws(SystemError) {
      var pairs = 0
      while changes.count < Self.step, try pair(&changes) {
        pairs += 1
        if pairs % Self.step == 0, Task.isCancelled { break }
      }
    } catch {
      throw InputError(name: "a temporary file", reason: "\(error)")
    }
    return changes
  }

  /// Compares the next records; returns whether there were any.
  private func pair(_ changes: inout [RecordChange]) throws(SystemError) -> Bool {
    switch (old.merge.current, new.merge.current) {
    case (nil, nil): return false
    case (let left?, nil): changes.append(single(.removed, left, old.names))
    case (nil, let right?): changes.append(single(.added, right, new.names))
    case (let left?, let right?):
      if left.isBefore(right) {
        changes.append(single(.removed, left, old.names))
        try old.merge.advance()
        return true
      }
      if right.isBefore(left) {
        changes.append(single(.added, right, new.names))
        try new.merge.advance()
        return true
      }
      compare(left, right, &changes)
    }
    if old.merge.current != nil { try old.merge.advance() }
    if new.merge.current != nil { try new.merge.advance() }
    return true
  }

  private func single(
    _ kind: RecordChange.Kind,
    _ reader: RunReader,
    _ names: FieldNames
  ) -> RecordChange {
    result.records[kind, default: 0] += 1
    return RecordChange(kind: kind, ip: Self.ip(reader, names))
  }

  private static func ip(_ reader: RunReader, _ names: FieldNames) -> String {
    let column = names.number(of: Field.ip.name)
    var text = ""
    PackedRecord.eachCell(in: reader.buffer, of: reader.record) { number, _, place in
      if number == column { text = String(decoding: reader.buffer[place], as: UTF8.self) }
    }
    return text
  }

  private func compare(_ left: RunReader, _ right: RunReader, _ changes: inout [RecordChange]) {
    oldCells.take(left)
    newCells.take(right)
    var isSame = true
    for (index, field) in fields.enumerated() {
      let (first, second) = (oldCells.place(field.old), newCells.place(field.new))
      if left.buffer[first] == right.buffer[second] { continue }
      let values = (oldCells.value(field.old, left), newCells.value(field.new, right))
      if field.comparison.areEqual(values.0, values.1) { continue }
      isSame = false
      changed[index] += 1
      let texts = (field.comparison.text(values.0), field.comparison.text(values.1))
      changes.append(
        RecordChange(
          kind: .changed,
          ip: Self.ip(left, old.names),
          field: field.name,
          old: texts.0,
          new: texts.1
        )
      )
      if index == country { result.countries["\(texts.0)>\(texts.1)", default: 0] += 1 }
    }
    result.records[isSame ? .same : .changed, default: 0] += 1
  }
}
