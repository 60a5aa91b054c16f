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
    columns = [AddedColumn(name: "\(name)_network")] + table.valueColumns(named: name)
  }

  /// Appends the network of each address and its values; empty if there is none.
  public func append(valuesOf addresses: Span<Address>, to values: inout AddedValues) {
    values.appendRows { table.append(rowsOf: addresses, to: &$0, ends: &$1) }
  }
}

extension NetworkTable: NetworkSet {}

/// A table of autonomous systems as a source of columns: the number of the record's system, and its
/// values.
struct SystemSource: ImmediateSource {
  /// The columns: `own_asn`, and one per column of the table.
  let columns: [AddedColumn]
  let isAboutSystems = true
  private let table: NetworkTable

  init(_ table: NetworkTable, named name: String) {
    self.table = table
    columns = [AddedColumn(name: "\(name)_asn", .number)] + table.valueColumns(named: name)
  }

  func append(valuesOf addresses: Span<Address>, to values: inout AddedValues) {
    for index in addresses.indices {
      guard let number = addresses[index].ipv4, let match = table.match(addresses[index]) else {
        values.appendNothing(columns.count)
        continue
      }
      values.append(text: "\(number)")
      for column in table.columns.indices {
        values.append { table.append(column, of: match, to: &$0) }
      }
    }
  }
}

extension NetworkTable {
  /// The columns of its values, with the prefix of a source.
  fileprivate func valueColumns(named name: String) -> [AddedColumn] {
    zip(columns, kinds).map { column, kind in
      let form: AddedColumn.Form =
        switch kind {
        case .text: .text
        case .number: .number
        case .flag: .flag
        }
      return AddedColumn(name: "\(name)_\(column)", form)
    }
  }
}
