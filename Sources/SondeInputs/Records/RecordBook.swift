package import SondeRecords

/// Whoever takes in records that are read as they are.
package protocol RecordBook: AnyObject, Sendable {
  /// What records must be like; `nil` for all.
  var filter: Filter? { get }

  /// Takes a record in.
  ///
  /// - Parameters:
  ///   - record: What it says.
  ///   - block: What its texts lie in.
  ///   - status: How its entry ended; `nil` where it does not tell.
  ///   - source: Who answered, as it tells.
  func count(_ record: Record, of block: RecordBlock, status: Status?, source: String)
}
