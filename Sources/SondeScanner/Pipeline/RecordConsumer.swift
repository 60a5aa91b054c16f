package import SondeOutputs
package import SondeRecords

/// Takes records in place of the outputs: a summary that counts them, or rows that they are put into.
package protocol RecordConsumer: Sendable {
  /// Whether the entries are rows, which are written also without an answer.
  var holdsRows: Bool { get }

  /// Whether no more entries are to be read for now.
  var isFull: Bool { get }

  /// Takes a record, and counts it.
  ///
  /// - Parameters:
  ///   - record: The record.
  ///   - bytes: The bytes of its block.
  ///   - number: The number of its entry.
  ///   - chunk: Where to count it, and to append what is written.
  func append(_ record: Record, bytes: Span<UInt8>, of number: UInt64, to chunk: inout Chunk)

  /// Appends the row of an entry that has no answer.
  func appendUnanswered(_ number: UInt64, to chunk: inout Chunk)

  /// Notes that the rows before an entry are written.
  func release(before number: UInt64)
}

extension RecordConsumer {
  /// Entries leave nothing but their records.
  package var holdsRows: Bool { false }

  /// Nothing is kept.
  package var isFull: Bool { false }

  /// There is no row.
  package func appendUnanswered(_ number: UInt64, to chunk: inout Chunk) {}

  /// Nothing is kept.
  package func release(before number: UInt64) {}
}
