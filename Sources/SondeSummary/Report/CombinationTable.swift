import SondeRecords
import SondeSystem

/// A table of a summary by the combinations of some fields.
public struct CombinationTable: Sendable, Equatable {
  /// A combination of values.
  public struct Row: Sendable, Equatable {
    /// The values of the fields, in order; `nil` if missing.
    public var values: [String?]
    /// The hits.
    public var hits: Int
    /// The distinct addresses.
    public var addresses: Int
    /// The share of all hits of the summary, from 0 to 1.
    public var share: Double
    /// The earliest time, in seconds since 1970 UTC; `nil` without one.
    public var firstSeen: Int64?
    /// The latest time.
    public var lastSeen: Int64?
  }

  /// The fields.
  public let grouping: Grouping

  /// The rows, most hits first, then by the values; missing ones are last.
  public var rows: [Row]

  /// The number of rows before they were cut.
  public let count: Int
}

extension CombinationTable.Row {
  static func comesBefore(_ left: Self, _ right: Self) -> Bool {
    if left.hits != right.hits { return left.hits > right.hits }
    for (mine, other) in zip(left.values, right.values) where mine != other {
      guard let mine, let other else { return other == nil }
      return mine.utf8.lexicographicallyPrecedes(other.utf8)
    }
    return false
  }
}

extension CombinationTable {
  /// The name of the table: those of its fields.
  var name: String { grouping.name }

  /// The names of all columns.
  var columns: [String] {
    grouping.parts.map(\.name) + ["hits", "addresses", "share", "first_seen", "last_seen"]
  }

  /// A row as an object without missing values.
  func json(of row: Row, isNamed: Bool) -> JSONObject {
    var object = JSONObject()
    if isNamed { object.add("table", name) }
    for (part, value) in zip(grouping.parts, row.values) {
      guard let value else { continue }
      if part.isPlain {
        object.add(part.name, json: Array(value.utf8))
      } else {
        object.add(part.name, value)
      }
    }
    object.add("hits", row.hits)
    object.add("addresses", row.addresses)
    object.add("share", row.share)
    if let first = row.first { object.add("first_seen", first) }
    if let last = row.last { object.add("last_seen", last) }
    return object
  }
}

extension CombinationTable.Row {
  /// The earliest time (RFC 3339, UTC).
  var first: String? { firstSeen.map { Timestamp(seconds: $0).wholeSeconds } }
  var last: String? { lastSeen.map { Timestamp(seconds: $0).wholeSeconds } }

  /// The values of the columns behind the fields; empty if missing.
  var numbers: [String] {
    var share: [UInt8] = []
    appendShortest(self.share, to: &share)
    return [
      "\(hits)", "\(addresses)", String(decoding: share, as: UTF8.self), first ?? "", last ?? "",
    ]
  }
}
