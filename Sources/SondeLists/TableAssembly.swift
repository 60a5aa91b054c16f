import SondeAddresses
import SondeRecords
import SondeTables

/// Collects the rows of a table, whatever its form is.
struct TableAssembly {
  /// The values are too many: a table's texts have at most 4 GiB.
  struct Overflow: Error {}

  private(set) var builder: NetworkTable.Builder
  /// Networks to subtract.
  private let excluded: NetworkTable?

  init(columns: [String], without excluded: NetworkTable?) {
    (builder, self.excluded) = (NetworkTable.Builder(columns: columns), excluded)
  }

  /// Adds an untrusted value of the next row, as valid UTF-8 without control characters; `false` if
  /// there is no space for it.
  mutating func appends(_ value: Span<UInt8>, _ kind: ValueKind = .text) -> Bool {
    guard value.hasControls else { return builder.append(value: value, kind) }
    var text: [UInt8] = []
    text.append(withoutControls: value)
    return builder.append(value: text.span, kind)
  }

  /// Adds a value likewise; throws ``Overflow`` if there is no space for it.
  mutating func append(_ value: Span<UInt8>, _ kind: ValueKind = .text) throws(Overflow) {
    guard appends(value, kind) else { throw Overflow() }
  }

  /// Adds a column, which earlier rows have no value in.
  mutating func append(column: String) { builder.append(column: column) }

  /// Ends a row, whose values are those of all these ranges.
  mutating func end(_ ranges: [AddressRange]) {
    guard let excluded else {
      if let range = ranges.first, ranges.count == 1 {
        builder.append(range)
      } else {
        builder.append(ranges)
      }
      return
    }
    let parts = ranges.compactMap(Prefix.init).flatMap { $0.parts(outside: excluded) }
    builder.append(parts.map { AddressRange(block: $0.address, length: $0.length) })
  }
}
