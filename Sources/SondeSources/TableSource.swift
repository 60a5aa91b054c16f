public import SondeAddresses
public import SondeRecords
public import SondeTables

/// A table of networks as a source of columns: the network that holds an address, and its values.
public struct TableSource: ImmediateSource {
  /// The columns: `own_network`, then one for each of the table's.
  public let columns: [AddedColumn]

  /// Whether an address is in it, and what is known of that.
  public let table: NetworkTable

  /// Makes a source of columns.
  ///
  /// - Parameters:
  ///   - table: The table.
  ///   - name: What the names of the columns begin with.
  public init(_ table: NetworkTable, named name: String) {
    self.table = table
    columns = (["network"] + table.columns).map { AddedColumn(name: "\(name)_\($0)") }
  }

  /// Appends the network of each address and its values; nothing where no network holds it.
  public func append(valuesOf addresses: Span<Address>, to values: inout AddedValues) {
    values.appendRows { table.append(rowsOf: addresses, to: &$0, ends: &$1) }
  }
}

extension NetworkTable: NetworkSet {}
