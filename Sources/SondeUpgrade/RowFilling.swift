import SondeAddresses
public import SondeRecords

/// The columns that sources fill in the rows of an earlier run.
public struct RowFilling: Sendable, Equatable {
  /// The columns of each source in order.
  let sources: [[AddedColumn]]
  /// Finds what the text of a row claims; `nil` if that does not matter.
  let claims: CrawlerClaims.Finder?

  /// Fills the columns of some sources; `claims` finds what the line of a row claims, if a source
  /// depends on that.
  public init(_ sources: [any ColumnSource] = [], claims: CrawlerClaims.Finder? = nil) {
    (self.sources, self.claims) = (sources.map(\.columns), claims)
  }

  /// Compares the columns.
  public static func == (left: RowFilling, right: RowFilling) -> Bool {
    left.sources == right.sources
  }

  var columns: [AddedColumn] { sources.flatMap(\.self) }

  /// Whether a row needs values from sources.
  ///
  /// A row needs those of a table if it `lacks` its columns, and those of a source that is asked if
  /// that has not answered. `value` returns the value of a column, without quotes.
  func isWanted(
    for address: Address,
    lacks: ([AddedColumn]) -> Bool,
    value: (AddedColumn) -> [UInt8]
  ) -> Bool {
    sources.contains { columns in
      guard let status = columns.first(where: { $0.form == .status }) else {
        return lacks(columns)
      }
      return address.specialPurpose == nil && Self.isOpen(value(status))
    }
  }

  /// The bit for the source of a column, in a number where 1 is the provider.
  func bit(of field: Field) -> Int {
    guard case .added(let column) = field,
      let source = sources.firstIndex(where: { $0.contains(column) })
    else { return 1 }
    return 2 << source
  }

  /// The sources that have answered, as bits; `value` returns a column's value without quotes.
  func answered(value: (AddedColumn) -> [UInt8]) -> Int {
    sources.enumerated().reduce(0) { bits, source in
      guard let status = source.element.first(where: { $0.form == .status }) else { return bits }
      return Self.isOpen(value(status)) ? bits : bits | 2 << source.offset
    }
  }

  /// The sources that have no answer now, as bits.
  func failing(_ faults: SourceFaults) -> Int {
    let asked = sources.indices.filter { sources[$0].contains { $0.form == .status } }
    return asked.enumerated().reduce(0) { bits, source in
      let isFailing = faults.hasFailed(source.offset) || faults.hasLost(source.offset)
      return isFailing ? bits | 2 << source.element : bits
    }
  }

  /// Whether a source with this status has not answered yet.
  private static func isOpen(_ status: [UInt8]) -> Bool {
    status.isEmpty || status.elementsEqual(Status.failed.name.utf8)
      || status.elementsEqual(Status.networkLost.name.utf8)
  }
}
