package import SondeRecords

/// Receives records that are read unchanged.
package protocol RecordBook: AnyObject, Sendable {
  /// The filter of records; `nil` for none.
  var filter: Filter? { get }

  /// Counts a record.
  ///
  /// - Parameters:
  ///   - record: The record.
  ///   - block: The block with its texts.
  ///   - status: The status of its entry; `nil` if missing.
  ///   - source: The provider that answered, according to the record.
  func count(_ record: Record, of block: RecordBlock, status: Status?, source: String)
}
