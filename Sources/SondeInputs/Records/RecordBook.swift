package import SondeRecords

/// Receives records that are read unchanged.
package protocol RecordBook: AnyObject, Sendable {
  /// The filter of records; `nil` for none.
  var filter: Filter? { get }

  /// Counts a record, whose entry may have no status; `source` is the provider that it names.
  func count(_ record: Record, of block: RecordBlock, status: Status?, source: String)
}
