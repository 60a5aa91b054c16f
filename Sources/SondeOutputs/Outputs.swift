import SondeAddresses
public import SondeRecords
import SondeStore
import SondeSystem

/// Where records go, and in what form.
public struct Outputs: Sendable {
  /// A place for records.
  public struct Place: Sendable {
    /// The form of the records.
    public var encoder: RecordEncoder
    /// Where the bytes go.
    public var sink: any RecordSink
    /// How they are compressed, if they are.
    public var packing: Packing?

    /// Makes a place.
    public init(encoder: RecordEncoder, sink: any RecordSink, packing: Packing? = nil) {
      self.encoder = encoder
      self.sink = sink
      self.packing = packing
    }

    /// Writes bytes, compressed where that is wanted, whole or not at all.
    public func write(_ bytes: [UInt8]) async throws(OutputError) {
      _ = try await sink.write(bytes, packing)
    }

    /// Ends writing; nothing more comes.
    public func end() async throws(OutputError) { try await sink.end() }
  }

  /// The main output.
  public var main: Place

  /// Where `invalid` records go instead, if anywhere.
  public var rejects: Place?

  /// Where the addresses without an answer are listed, if anywhere.
  public var missing: (any RecordSink)?

  /// How that list is compressed, if it is.
  public var missingPacking: Packing?

  /// Makes outputs with nothing but the main one.
  public init(main: Place) { self.main = main }

  private var sinks: [any RecordSink] { [main.sink, rejects?.sink, missing].compactMap(\.self) }

  /// Empties the files that are not appended to.
  public func empty() async throws(OutputError) { for sink in sinks { try await sink.empty() } }

  /// Takes the files away that were not there before.
  public func discard() async { for sink in sinks { await sink.discard() } }
}
