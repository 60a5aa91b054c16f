package import SondeOutputs
package import SondeRecords

/// Receives records instead of the outputs: a summary that counts them, or rows into which they are
/// merged.
package protocol RecordConsumer: Sendable {
  /// Whether the entries are rows, which are written even without an answer.
  var holdsRows: Bool { get }

  /// Whether to pause reading.
  var isFull: Bool { get }

  /// Receives the record of an entry, and adds its count and its output to a chunk.
  func append(_ record: Record, bytes: Span<UInt8>, of number: UInt64, to chunk: inout Chunk)

  /// Appends the row of an entry without an answer.
  func appendUnanswered(_ number: UInt64, to chunk: inout Chunk)

  /// Releases the rows before an entry, which are written.
  func release(before number: UInt64)
}

extension RecordConsumer {
  /// False: entries have no rows.
  package var holdsRows: Bool { false }

  /// False: nothing is stored.
  package var isFull: Bool { false }

  package func appendUnanswered(_ number: UInt64, to chunk: inout Chunk) {}

  package func release(before number: UInt64) {}
}
