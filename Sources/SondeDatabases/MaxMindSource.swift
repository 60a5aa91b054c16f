public import SondeAddresses
public import SondeCatalog
public import SondeRecords
import SondeSystem

/// An MMDB as a source of columns: the network that contains an address, and its record's values.
///
/// The values have the names of their paths. The file is read in place.
public struct MaxMindSource: ImmediateSource {
  /// The reason why a file cannot be used as a source.
  public enum Problem: Error, CustomStringConvertible {
    case unusable(DatabaseError)
    /// Its records have too many paths to be columns.
    case tooManyColumns(Int)
    /// No record has a path; with those there are.
    case noPath(String, there: [String])
    /// Two paths would have the same column.
    case samePlace(String, String)

    /// The reason in plain words, with a correction.
    public var description: String {
      switch self {
      case .unusable(let error): return error.detail
      case .tooManyColumns(let count):
        return "has \(count) columns: name at most \(MaxMindSource.mostColumns) of them, "
          + "as in NAME=FILE,columns=A,B"
      case .noPath(let path, let there):
        let list = there.prefix(20).map { "'\(escapedForPerson($0))'" }.joined(separator: ", ")
        return "has no column '\(escapedForPerson(path))'; its columns are \(list)"
      case .samePlace(let first, let second):
        return "'\(escapedForPerson(first))' and '\(escapedForPerson(second))' would be the same "
          + "column: choose one of them, as in NAME=FILE,columns=A,B"
      }
    }
  }

  /// The most columns without a choice.
  static let mostColumns = 200

  /// The columns: `NAME_network`, and one per path.
  public let columns: [AddedColumn]

  /// The number of networks that have a record.
  public let networkCount: Int

  private let database: MaxMindDatabase
  private var paths: MaxMindPaths

  /// Opens a file; `nil` if it is no MMDB.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - name: The prefix of the columns' names.
  ///   - choice: Which paths are columns.
  /// - Throws: ``Problem``.
  public init?(path: String, named name: String, _ choice: TableChoice) throws(Problem) {
    do throws(DatabaseError) {
      guard let database = try Self.open(path) else { return nil }
      self.database = database
      var found = MaxMindPaths()
      do throws(MaxMindReader.Damage) {
        networkCount = try database.withData { data throws(MaxMindReader.Damage) in
          try database.eachRecord(of: data.count) { offset throws(MaxMindReader.Damage) in
            try found.add(recordAt: offset, in: data)
          }
        }
      } catch {
        throw DatabaseError(path: path, reason: .damaged(error.reason))
      }
      paths = found
    } catch {
      throw .unusable(error)
    }
    let all = paths.all
    let chosen = try Self.choose(choice.columns, among: all)
    columns =
      [AddedColumn(name: "\(name)_network")]
      + chosen.map { AddedColumn(name: "\(name)_\(Self.name(of: $0.path))", $0.form) }
    paths.choose(chosen.map(\.path))
  }

  private static func open(_ path: String) throws(DatabaseError) -> MaxMindDatabase? {
    let file: DatabaseFile
    do throws(DatabaseError) {
      file = try DatabaseFile(path: path)
    } catch {
      // Pipes and the like are no databases, but may be tables; so may files with any problem.
      return nil
    }
    switch try? file.format() {
    case .maxMind(let metadata): return try MaxMindDatabase(file, metadata: metadata)
    case .libloc, nil: return nil
    }
  }

  /// The name of a path's column, without the prefix; a record that is no map has one value.
  private static func name(of path: String) -> String {
    path.isEmpty ? "value" : columnName(path)
  }

  /// The paths of the columns, in order.
  private static func choose(
    _ names: [String]?,
    among all: [(path: String, form: AddedColumn.Form)]
  ) throws(Problem) -> [(path: String, form: AddedColumn.Form)] {
    var chosen = all
    if let names {
      chosen = try names.map { name throws(Problem) in
        let found = all.first { $0.path == name } ?? all.first { Self.name(of: $0.path) == name }
        guard let found else { throw .noPath(name, there: all.map(\.path)) }
        return found
      }
    } else if all.count > mostColumns {
      throw .tooManyColumns(all.count)
    }
    var places = ["network": "network"]
    for (path, _) in chosen {
      if let other = places.updateValue(path, forKey: Self.name(of: path).lowercased()) {
        throw .samePlace(other, path)
      }
    }
    return chosen
  }

  /// Appends the network of each address and the values of its record; empty if it has none, or a
  /// damaged one.
  public func append(valuesOf addresses: Span<Address>, to values: inout AddedValues) {
    var bytes: [UInt8] = []
    var record = Array(repeating: [UInt8](), count: columns.count - 1)
    // Addresses close to each other often share a record.
    var current: Int?
    for index in addresses.indices {
      guard case .entry(let offset, let length) = database.locate(addresses[index]) else {
        values.appendNothing(columns.count)
        continue
      }
      if offset != current {
        current = offset
        do throws(MaxMindReader.Damage) {
          try database.withData { data throws(MaxMindReader.Damage) in
            try paths.values(ofRecordAt: offset, in: data, into: &record)
          }
        } catch {
          current = nil
          values.appendNothing(columns.count)
          continue
        }
      }
      bytes.removeAll(keepingCapacity: true)
      _ = database.network(of: addresses[index], length, &bytes)
      values.append { $0 += bytes }
      for value in record { values.append { $0 += value } }
    }
  }
}

extension MaxMindDatabase {
  /// Passes the offset of each distinct record in the data, in ascending order.
  ///
  /// Returns the number of networks that have a record.
  fileprivate func eachRecord(
    of size: Int,
    _ take: (Int) throws(MaxMindReader.Damage) -> Void
  ) throws(MaxMindReader.Damage) -> Int {
    var networks = 0
    // A bit for each byte of the data takes less than a set of the offsets.
    var seen = [UInt64](repeating: 0, count: size / 64 + 1)
    for node in 0..<nodeCount {
      let branches: (zero: MaxMindBranch, one: MaxMindBranch)
      do throws(CompiledDatabaseError) {
        branches = try children(of: node)
      } catch {
        throw MaxMindReader.Damage(reason: "its search tree is damaged")
      }
      for case .entry(let offset) in [branches.zero, branches.one] {
        guard offset < size else {
          throw MaxMindReader.Damage(reason: "a record is behind the data")
        }
        networks += 1
        seen[Int(offset) / 64] |= 1 << UInt64(offset % 64)
      }
    }
    for (index, word) in seen.enumerated() {
      var rest = word
      while rest != 0 {
        try take(index * 64 + rest.trailingZeroBitCount)
        rest &= rest - 1
      }
    }
    return networks
  }
}
