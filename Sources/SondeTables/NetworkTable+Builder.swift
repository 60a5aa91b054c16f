import SondeAddresses

extension NetworkTable {
  /// Builds a table from rows in any order.
  public struct Builder {
    /// The names of the values in order.
    public let columns: [String]

    /// The number of rows.
    public var count: Int { ipv4.count + ipv6.count }

    /// The number of rows with different networks or values.
    public var distinctCount: Int { distinctCount(of: ipv4) + distinctCount(of: ipv6) }

    /// The sort key of a row: the first address, the length, the position.
    private struct Key<Number: FixedWidthInteger>: Comparable {
      let first: Number
      /// The length in the highest bits, the number of the row below.
      let rest: UInt64

      init(_ first: Number, _ length: Int, _ row: Int) {
        (self.first, rest) = (first, UInt64(length) << 56 | UInt64(row))
      }

      var length: UInt8 { UInt8(truncatingIfNeeded: rest >> 56) }
      var row: Int { Int(rest & 0xff_ffff_ffff_ffff) }

      static func < (left: Key, right: Key) -> Bool {
        left.first == right.first ? left.rest < right.rest : left.first < right.first
      }
    }

    private var ipv4: [Key<UInt32>] = []
    private var ipv6: [Key<UInt128>] = []
    /// The numbers of the rows' texts, one per column.
    private var values: [UInt32] = []
    private var texts = TextPool()

    /// Creates a builder without rows; its columns are the names of the values.
    public init(columns: [String]) { self.columns = columns }

    /// Adds a value of the next row, valid UTF-8, empty for none; returns `false` if there is no
    /// space, since the texts of a table have at most 4 GiB.
    public mutating func append(value: Span<UInt8>) -> Bool {
      guard texts.hasRoom(for: value.count) else { return false }
      values.append(texts.intern(value))
      return true
    }

    /// Ends a row after its values, one per column.
    public mutating func append(_ prefix: Prefix) {
      let row = count
      precondition(values.count == (row + 1) * columns.count, "a row with too few values, or many")
      if let number = prefix.address.ipv4 {
        ipv4.append(Key(number, prefix.length, row))
      } else {
        ipv6.append(Key(prefix.address.number, prefix.length, row))
      }
    }

    /// Builds the table.
    public consuming func table() -> NetworkTable {
      var rows = Rows(width: columns.count, values: values, texts: texts)
      values = []
      let ipv4 = Self.index(&ipv4, &rows)
      let ipv6 = Self.index(&ipv6, &rows)
      rows.texts.freeze()
      return NetworkTable(
        columns: columns,
        rows: rows.merged,
        texts: rows.texts,
        ipv4: ipv4,
        ipv6: ipv6
      )
    }

    private func distinctCount<Number>(of keys: [Key<Number>]) -> Int {
      let width = columns.count
      let rows = Set(
        keys.map { key in
          let values = values[key.row * width..<(key.row + 1) * width]
          return DistinctRow(first: UInt128(key.first), length: key.length, values: values)
        }
      )
      return rows.count
    }

    private struct DistinctRow: Hashable {
      let first: UInt128
      let length: UInt8
      let values: ArraySlice<UInt32>
    }

    /// Sorts the networks of a family, merges equal prefixes, and indexes them.
    private static func index<Number>(
      _ keys: inout [Key<Number>],
      _ rows: inout Rows
    ) -> IntervalIndex<Number> {
      keys.sort()
      var index = IntervalIndex<Number>()
      var start = 0
      while start < keys.count {
        let key = keys[start]
        var end = start + 1
        while end < keys.count, keys[end].first == key.first, keys[end].length == key.length {
          end += 1
        }
        let hosts = key.length == 0 ? Number.max : Number.max >> Number(key.length)
        let answer = rows.merge(length: key.length, keys[start..<end].lazy.map { $0.row })
        index.add(.init(first: key.first, last: key.first | hosts, answer: answer))
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
    /// The length and the values of each prefix.
    var merged: [UInt32] = []
    private var count: UInt32 = 0

    init(width: Int, values: [UInt32], texts: TextPool) {
      (self.width, self.values, self.texts) = (width, values, texts)
    }

    /// Merges the rows of a prefix in order: each value once, separated by `|`.
    mutating func merge(length: UInt8, _ rows: some Collection<Int>) -> UInt32 {
      defer { count += 1 }
      merged.append(UInt32(length))
      for column in 0..<width {
        let numbers = rows.lazy.map { [values, width] in values[$0 * width + column] }
        merged.append(numbers.count == 1 ? numbers.first ?? 0 : joined(numbers))
      }
      return count
    }

    private mutating func joined(_ numbers: some Sequence<UInt32>) -> UInt32 {
      var seen: Set<UInt32> = [0]
      let distinct = numbers.filter { seen.insert($0).inserted }
      guard distinct.count > 1 else { return distinct.first ?? 0 }
      var bytes: [UInt8] = []
      for number in distinct {
        if !bytes.isEmpty { bytes.append(UInt8(ascii: "|")) }
        texts.append(number, to: &bytes)
      }
      return texts.hasRoom(for: bytes.count) ? texts.intern(bytes.span) : distinct[0]
    }
  }
}
