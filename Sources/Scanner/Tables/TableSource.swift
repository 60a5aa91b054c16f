public import Addresses
public import Records
public import Tables

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

  /// Appends the network and its values; nothing where no network holds the address.
  public func append(valuesOf address: Address, to values: inout AddedValues) {
    guard let match = table.match(address) else { return values.appendNothing(columns.count) }
    values.append { match.prefix.append(to: &$0) }
    for column in table.columns.indices {
      values.append { table.append(column, of: match, to: &$0) }
    }
  }
}

extension NetworkTable: NetworkSet {}
