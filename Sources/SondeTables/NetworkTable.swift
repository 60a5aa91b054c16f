public import SondeAddresses

/// A table of networks and ranges with values, in which the smallest that contains an address is its
/// answer; of two equally large ones the one that begins later.
///
/// It is immutable, so any number of tasks may use it. A look-up takes tens of nanoseconds and
/// allocates nothing.
public struct NetworkTable: Sendable {
  /// The names of the values in order.
  public let columns: [String]

  /// What the values of each column are, in order.
  public let kinds: [ValueKind]

  /// The number of distinct networks.
  public var count: Int { rows.count / width }

  /// The size and the text numbers of each network, ``width`` numbers per network, IPv4 first.
  let rows: [UInt32]
  let sizes: SizeTable
  private let texts: TextPool
  let ipv4: IntervalIndex<UInt32>
  let ipv6: IntervalIndex<UInt128>

  init(
    columns: [String],
    kinds: [ValueKind],
    rows: [UInt32],
    sizes: SizeTable,
    texts: TextPool,
    ipv4: IntervalIndex<UInt32>,
    ipv6: IntervalIndex<UInt128>
  ) {
    (self.columns, self.kinds, self.rows, self.sizes) = (columns, kinds, rows, sizes)
    (self.texts, self.ipv4, self.ipv6) = (texts, ipv4, ipv6)
  }

  /// The number of elements per network in ``rows``.
  var width: Int { columns.count + 1 }

  /// A network found in a table.
  public struct Match: Sendable, Hashable {
    /// The smallest network that contains the address, of a range the block of its division.
    public let prefix: Prefix
    let row: Int
  }

  /// Finds the smallest network that contains an address.
  ///
  /// An IPv4 address only matches IPv4 networks, also in its mapped form.
  public func match(_ address: Address) -> Match? {
    let row = row(for: address)
    guard row != UInt32.max else { return nil }
    let prefix = sizes.prefix(of: rows[Int(row) * width], holding: address)
    return Match(prefix: prefix, row: Int(row))
  }

  /// Whether a network contains an address.
  public func contains(_ address: Address) -> Bool { row(for: address) != UInt32.max }

  /// Whether a network overlaps with one of the table.
  public func overlaps(_ prefix: Prefix) -> Bool {
    let range = AddressRange(block: prefix.address, length: prefix.length)
    if let first = range.first.ipv4, let last = range.last.ipv4 {
      return ipv4.hasAnswer(from: first, through: last)
    }
    return ipv6.hasAnswer(from: range.first.number, through: range.last.number)
  }

  /// The addresses in networks of the table, as ranges in order.
  public var ranges: [AddressRange] {
    let old = ipv4.answered.compactMap { range in
      AddressRange(first: Address(ipv4: range.lowerBound), last: Address(ipv4: range.upperBound))
    }
    return old + ipv6.answered.flatMap { range in Self.ranges(range) }
  }

  /// An IPv6 range without the IPv4-mapped addresses, which belong to the other family.
  private static func ranges(_ numbers: ClosedRange<UInt128>) -> [AddressRange] {
    let mapped = (first: Address(ipv4: 0).number, last: Address(ipv4: .max).number)
    let parts = [
      (numbers.lowerBound, min(numbers.upperBound, mapped.first - 1)),
      (max(numbers.lowerBound, mapped.last + 1), numbers.upperBound),
    ]
    return parts.compactMap { first, last in
      AddressRange(first: Address(number: first), last: Address(number: last))
    }
  }

  @inline(__always)
  private func row(for address: Address) -> UInt32 {
    if let number = address.ipv4 { return ipv4.answer(for: number) }
    return ipv6.answer(for: address.number)
  }

  /// The number of a value, equal for equal texts; 0 for none.
  public func valueNumber(_ column: Int, of match: Match) -> UInt32 {
    rows[match.row * width + column + 1]
  }

  /// Appends a value as valid UTF-8; nothing if it is missing.
  public func append(_ column: Int, of match: Match, to output: inout [UInt8]) {
    texts.append(valueNumber(column, of: match), to: &output)
  }

  /// A sufficient size for the network of a row and its values.
  @inline(__always)
  func size(of row: Int) -> Int {
    let start = row &* width
    var size = Prefix.textCapacity
    for place in start &+ 1..<start &+ width { size &+= texts.range(of: rows[place]).count }
    return size
  }

  /// Appends the network of an address and the values of its row, and the end of each in an output
  /// that started earlier; nothing without a row.
  @inline(__always)
  func append(
    _ prefix: Prefix,
    ofRow row: UInt32,
    to output: inout OutputSpan<UInt8>,
    _ ends: inout OutputSpan<Int>,
    from start: Int
  ) {
    guard row != UInt32.max else {
      for _ in 0..<width { ends.append(start &+ output.count) }
      return
    }
    let first = Int(row) &* width
    prefix.append(to: &output)
    ends.append(start &+ output.count)
    for place in first &+ 1..<first &+ width {
      texts.append(rows[place], to: &output)
      ends.append(start &+ output.count)
    }
  }

  /// A value as a text; empty if it is missing.
  public func text(_ column: Int, of match: Match) -> String {
    var bytes: [UInt8] = []
    append(column, of: match, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}
