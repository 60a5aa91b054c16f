import SondeAddresses
public import SondeRecords
import SondeStore
import SondeSystem

/// The outputs of records, with their formats.
public struct Outputs: Sendable {
  /// An output of records.
  public struct Place: Sendable {
    /// The encoder of the records.
    public var encoder: RecordEncoder
    /// The sink of the bytes.
    public var sink: any RecordSink
    /// The compression, if any.
    public var packing: Packing?

    /// Creates an output.
    public init(encoder: RecordEncoder, sink: any RecordSink, packing: Packing? = nil) {
      (self.encoder, self.sink, self.packing) = (encoder, sink, packing)
    }

    /// Writes bytes atomically, compressed if requested.
    public func write(_ bytes: [UInt8]) async throws(OutputError) {
      _ = try await sink.write(bytes, packing)
    }

    /// Ends writing.
    public func end() async throws(OutputError) { try await sink.end() }
  }

  /// The main output.
  public var main: Place

  /// The output for `invalid` records, if separate.
  public var rejects: Place?

  /// The list of addresses without an answer, if any.
  public var missing: (any RecordSink)?

  /// The compression of that list, if any.
  public var missingPacking: Packing?

  /// Creates outputs with only the main one.
  public init(main: Place) { self.main = main }

  private var sinks: [any RecordSink] { [main.sink, rejects?.sink, missing].compactMap(\.self) }

  /// Empties the files that are not appended to.
  public func empty() async throws(OutputError) { for sink in sinks { try await sink.empty() } }

  /// Removes the files that did not exist before.
  public func discard() async { for sink in sinks { await sink.discard() } }
}
