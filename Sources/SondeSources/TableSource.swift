public import SondeAddresses
public import SondeRecords
public import SondeTables

/// A network table as a source of columns: the network that contains an address, and its values.
public struct TableSource: ImmediateSource {
  /// The columns: `own_network`, and one per column of the table.
  public let columns: [AddedColumn]

  /// The table.
  public let table: NetworkTable

  /// Creates a source of columns; `name` is the prefix of their names.
  public init(_ table: NetworkTable, named name: String) {
    self.table = table
    columns = (["network"] + table.columns).map { AddedColumn(name: "\(name)_\($0)") }
  }

  /// Appends the network of each address and its values; empty if there is none.
  public func append(valuesOf addresses: Span<Address>, to values: inout AddedValues) {
    values.appendRows { table.append(rowsOf: addresses, to: &$0, ends: &$1) }
  }
}

extension NetworkTable: NetworkSet {}
