public import SondeAddresses

extension NetworkTable {
  /// Builds a table from rows in any order.
  public struct Builder {
    /// The names of the values in order.
    public private(set) var columns: [String]

    /// The number of rows.
    public var count: Int { ipv4.count + ipv6.count }

    /// The number of rows with different networks or values.
    public var distinctCount: Int { distinctCount(of: ipv4) + distinctCount(of: ipv6) }

    /// The sort key of a row: its range, larger ones first, and its position.
    private struct Key<Number: FixedWidthInteger>: Comparable {
      let first: Number
      let last: Number
      let row: UInt32

      static func < (left: Key, right: Key) -> Bool {
        if left.first != right.first { return left.first < right.first }
        return left.last == right.last ? left.row < right.row : left.last > right.last
      }

      func hasRange(of other: Key) -> Bool { first == other.first && last == other.last }
    }

    private var ipv4: [Key<UInt32>] = []
    private var ipv6: [Key<UInt128>] = []
    /// The numbers of the rows' texts, one per column.
    private var values: [UInt32] = []
    private var texts = TextPool()
    /// The kind of each column's values so far; `nil` before the first.
    private var kinds: [ValueKind?]

    /// Creates a builder without rows; its columns are the names of the values.
    public init(columns: [String]) {
      (self.columns, kinds) = (columns, columns.map { _ in nil })
    }

    /// Adds a column, which earlier rows have no value in; not within a row.
    public mutating func append(column name: String) {
      let width = columns.count
      columns.append(name)
      kinds.append(nil)
      guard count > 0 else { return }
      var wider: [UInt32] = []
      wider.reserveCapacity(count * (width + 1))
      for row in 0..<count {
        wider += values[row * width..<(row + 1) * width]
        wider.append(0)
      }
      values = wider
    }

    /// Adds a value of the next row, valid UTF-8, empty for none; returns `false` if there is no
    /// space, since the texts of a table have at most 4 GiB.
    public mutating func append(value: Span<UInt8>, _ kind: ValueKind = .text) -> Bool {
      guard texts.hasRoom(for: value.count) else { return false }
      if !value.isEmpty {
        let column = values.count - count * columns.count
        kinds[column] = kinds[column]?.joined(with: kind) ?? kind
      }
      values.append(texts.intern(value))
      return true
    }

    /// Ends the row of a network after its values, one per column.
    public mutating func append(_ prefix: Prefix) {
      append(AddressRange(block: prefix.address, length: prefix.length))
    }

    /// Ends the row of a range after its values, one per column.
    public mutating func append(_ range: AddressRange) {
      let row = UInt32(count)
      precondition(values.count == (count + 1) * columns.count, "a row lacks values, or has many")
      if let first = range.first.ipv4, let last = range.last.ipv4 {
        ipv4.append(Key(first: first, last: last, row: row))
      } else {
        ipv6.append(Key(first: range.first.number, last: range.last.number, row: row))
      }
    }

    /// Ends a row with several ranges, or drops it if there are none.
    public mutating func append(_ ranges: [AddressRange]) {
      let width = columns.count
      let row = Array(values.suffix(width))
      values.removeLast(width)
      for range in ranges {
        values += row
        append(range)
      }
    }

    /// Builds the table.
    public consuming func table() -> NetworkTable {
      var rows = Rows(width: columns.count, values: values, texts: texts)
      values = []
      let ipv4 = Self.index(&ipv4, &rows) { Address(ipv4: $0).number }
      let ipv6 = Self.index(&ipv6, &rows) { $0 }
      rows.texts.freeze()
      let kinds = zip(kinds, rows.isJoined).map { $1 ? ValueKind.text : $0 ?? .text }
      return NetworkTable(
        columns: columns,
        kinds: kinds,
        rows: rows.merged,
        sizes: rows.sizes,
        texts: rows.texts,
        ipv4: ipv4,
        ipv6: ipv6
      )
    }

    private func distinctCount<Number>(of keys: [Key<Number>]) -> Int {
      let width = columns.count
      let rows = Set(
        keys.map { key in
          let start = Int(key.row) * width
          let (first, last) = (UInt128(key.first), UInt128(key.last))
          return DistinctRow(first: first, last: last, values: values[start..<start + width])
        }
      )
      return rows.count
    }

    private struct DistinctRow: Hashable {
      let first: UInt128
      let last: UInt128
      let values: ArraySlice<UInt32>
    }

    /// Sorts the ranges of a family, merges equal ones, and indexes them.
    private static func index<Number>(
      _ keys: inout [Key<Number>],
      _ rows: inout Rows,
      number: (Number) -> UInt128
    ) -> IntervalIndex<Number> {
      keys.sort()
      var index = IntervalIndex<Number>()
      var start = 0
      while start < keys.count {
        let key = keys[start]
        var end = start + 1
        while end < keys.count, keys[end].hasRange(of: key) { end += 1 }
        let size = rows.sizes.code(
          from: number(key.first),
          through: number(key.last),
          isIPv4: Number.bitWidth == 32
        )
        let answer = rows.merge(size: size, keys[start..<end].lazy.map { Int($0.row) })
        index.add(.init(first: key.first, last: key.last, answer: answer))
        start = end
      }
      keys = []
      index.finish()
      return index
    }
  }

  /// The rows of a table while equal prefixes are merged.
  private struct Rows {
    let width: Int
    let values: [UInt32]
    var texts: TextPool
    /// The size and the values of each range.
    var merged: [UInt32] = []
    var sizes = SizeTable()
    /// Whether a column has a value that was joined from several.
    var isJoined: [Bool]
    private var count: UInt32 = 0

    init(width: Int, values: [UInt32], texts: TextPool) {
      (self.width, self.values, self.texts) = (width, values, texts)
      isJoined = Array(repeating: false, count: width)
    }

    /// Merges the rows of a range in order: each value once, separated by `|`.
    mutating func merge(size: UInt32, _ rows: some Collection<Int>) -> UInt32 {
      defer { count += 1 }
      merged.append(size)
      for column in 0..<width {
        let numbers = rows.lazy.map { [values, width] in values[$0 * width + column] }
        merged.append(numbers.count == 1 ? numbers.first ?? 0 : joined(numbers, in: column))
      }
      return count
    }

    private mutating func joined(_ numbers: some Sequence<UInt32>, in column: Int) -> UInt32 {
      var seen: Set<UInt32> = [0]
      let distinct = numbers.filter { seen.insert($0).inserted }
      guard distinct.count > 1 else { return distinct.first ?? 0 }
      isJoined[column] = true
      var bytes: [UInt8] = []
      for number in distinct {
        if !bytes.isEmpty { bytes.append(UInt8(ascii: "|")) }
        texts.append(number, to: &bytes)
      }
      return texts.hasRoom(for: bytes.count) ? texts.intern(bytes.span) : distinct[0]
    }
  }
}
