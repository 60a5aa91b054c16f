package import SondeRecords

/// Receives records that are read unchanged.
package protocol RecordBook: AnyObject, Sendable {
  /// Whether fields count that no table of a summary has, for a condition or a combination.
  var needsAllFields: Bool { get }

  /// Counts a record, whose entry may have no status; `source` is the provider that it names.
  func count(_ record: Record, of block: RecordBlock, status: Status?, source: String)
}
