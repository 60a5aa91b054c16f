import SondeAddresses
import SondeCatalog
import SondeInputs
import SondeRecords
import SondeSystem

/// Which cells of a delimited table hold the networks and the values, by its first row.
struct CellLayout {
  struct Problem: Error { let reason: String }

  /// Where the networks are.
  enum Key: Equatable {
    case network(Int)
    /// The first and the last address, each as text or as a whole number.
    case range(Int, Int)
    /// A number of an autonomous system instead.
    case system(Int)
  }

  /// The default names of the column with networks; the first that exists is used.
  static let usualKeys = ["network", "cidr", "prefix", "subnet", "ip"]
  /// The names of columns with the first and the last address of a range.
  static let pairs = [("start_ip", "end_ip"), ("start", "end"), ("ip_from", "ip_to")]
  /// The columns of a geofeed (RFC 8805 §2.1.1).
  private static let geofeed = ["country_code", "region_code", "city", "postal_code"]
  /// The largest number of columns, as in databases (https://www.sqlite.org/limits.html, 2).
  private static let mostColumns = 1_000

  let key: Key
  /// The cells with values, and their names.
  let values: [(cell: Int, name: String)]
  /// The permitted numbers of cells.
  let counts: ClosedRange<Int>
  /// Whether the first row is a header.
  let hasHeader: Bool

  /// Recognises the layout by the cells of the first row.
  init(_ cells: [String], _ choice: TableChoice, isCommas: Bool) throws(Problem) {
    guard cells.count <= Self.mostColumns else {
      throw Problem(reason: "has more than \(Self.mostColumns) columns")
    }
    hasHeader = !cells.contains { Self.isNetwork($0) || Self.isNumber($0) }
    guard !hasHeader else {
      key = try Self.key(of: cells, choice)
      values = try Self.values(of: cells, key, choice)
      counts = cells.count...cells.count
      return
    }
    guard choice.key == nil, let key = Self.key(without: cells) else {
      throw Problem(reason: Self.missing(choice.key, cells))
    }
    self.key = key
    guard choice.columns != nil || !isCommas || !Self.isGeofeed(cells, key) else {
      values = Self.geofeed.enumerated().map { ($0.offset + 1, $0.element) }
      counts = 1...5
      return
    }
    values = try Self.numbered(cells.count, key, choice)
    counts = cells.count...cells.count
  }

  private static func isNetwork(_ cell: String) -> Bool {
    switch ListItem.parse(operand: Array(cell.utf8).span) {
    case .address, .range: true
    case .nothing, .invalid: false
    }
  }

  private static func isNumber(_ cell: String) -> Bool {
    !cell.isEmpty && cell.utf8.allSatisfy { 0x30...0x39 ~= $0 }
  }

  // MARK: - With a header

  private static func key(of cells: [String], _ choice: TableChoice) throws(Problem) -> Key {
    let names = cells.map { $0.lowercased() }
    let wanted = choice.key.map { [$0.lowercased()] } ?? usualKeys
    if let name = wanted.first(where: names.contains), let cell = names.firstIndex(of: name) {
      return .network(cell)
    }
    if choice.key == nil {
      for (first, last) in pairs {
        guard let start = names.firstIndex(of: first), let end = names.firstIndex(of: last) else {
          continue
        }
        return .range(start, end)
      }
      if let cell = names.firstIndex(of: "asn") { return .system(cell) }
    }
    throw Problem(reason: missing(choice.key, cells))
  }

  private static func values(
    of cells: [String],
    _ key: Key,
    _ choice: TableChoice
  ) throws(Problem) -> [(cell: Int, name: String)] {
    var taken: Set<String> = [key.name]
    let others = cells.indices.filter { !key.holds($0) }
    for cell in others {
      let isTaken = !taken.insert(cells[cell].lowercased()).inserted
      if let reason = flaw(of: cells[cell], cell + 1, isTaken: isTaken) {
        throw Problem(reason: reason)
      }
    }
    guard let columns = choice.columns else { return others.map { ($0, cells[$0]) } }
    return try columns.map { name throws(Problem) in
      guard let cell = others.first(where: { cells[$0].lowercased() == name.lowercased() }) else {
        throw Problem(reason: missing(name, others.map { cells[$0] }))
      }
      return (cell, cells[cell])
    }
  }

  private static func flaw(of name: String, _ column: Int, isTaken: Bool) -> String? {
    if name.isEmpty { return "the column \(column) has no name" }
    let hasWhite = name.unicodeScalars.contains { "\t\n\r".unicodeScalars.contains($0) }
    if hasWhite || Array(name.utf8).span.hasControls {
      return "the name of the column \(column) has a control character"
    }
    // Names that only differ in case would be the same column in a database.
    return isTaken ? "the column '\(escapedForPerson(name))' would stand there twice" : nil
  }

  private static func missing(_ key: String?, _ names: [String]) -> String {
    let list = names.prefix(20).map { "'\(escapedForPerson($0))'" }.joined(separator: ", ")
    if let key { return "has no column '\(escapedForPerson(key))'; its columns are \(list)" }
    return "is neither a network nor a header with \(usualKeys.joined(separator: ", ")): "
      + "name the column of the networks, as in NAME=FILE,key=COLUMN (there are \(list))"
  }

  // MARK: - Without a header

  /// The first cell, or the first two if they are the ends of a range.
  private static func key(without cells: [String]) -> Key? {
    let ends = cells.prefix(2)
    if ends.count == 2, ends.allSatisfy(isNumber) || ends.allSatisfy(isAddress) {
      return .range(0, 1)
    }
    return cells.first.map(isNetwork) == true ? .network(0) : nil
  }

  private static func isAddress(_ cell: String) -> Bool { Address(cell) != nil }

  /// Whether a row is one of a geofeed: a block, and a country or nothing.
  private static func isGeofeed(_ cells: [String], _ key: Key) -> Bool {
    guard key == .network(0), 2...5 ~= cells.count else { return false }
    let isLetter = { (byte: UInt8) in
      UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
    }
    return cells[1].isEmpty || cells[1].utf8.count == 2 && cells[1].utf8.allSatisfy(isLetter)
  }

  /// The cells behind the key: named by the user, or by their numbers in the line.
  private static func numbered(
    _ count: Int,
    _ key: Key,
    _ choice: TableChoice
  ) throws(Problem) -> [(cell: Int, name: String)] {
    let cells = (0..<count).filter { !key.holds($0) }
    guard let columns = choice.columns else { return cells.map { ($0, "\($0 + 1)") } }
    guard columns.count <= cells.count else {
      let noun = cells.count == 1 ? "cell" : "cells"
      throw Problem(
        reason: "has \(cells.count) \(noun) behind its network, and columns= names \(columns.count)"
      )
    }
    let named = zip(cells, columns).filter { $0.1 != "-" }.map { (cell: $0.0, name: $0.1) }
    var taken: Set<String> = [key.name]
    for (cell, name) in named {
      let isTaken = !taken.insert(name.lowercased()).inserted
      if let reason = flaw(of: name, cell + 1, isTaken: isTaken) { throw Problem(reason: reason) }
    }
    return named
  }
}

extension CellLayout.Key {
  /// The name of the column that shows what was found.
  fileprivate var name: String {
    if case .system = self { "asn" } else { "network" }
  }

  fileprivate func holds(_ cell: Int) -> Bool {
    switch self {
    case .network(let key), .system(let key): cell == key
    case .range(let first, let last): cell == first || cell == last
    }
  }
}
