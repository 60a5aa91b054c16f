public import SondeRecords

/// Writes blocks of records as one output with a single header and footer.
public struct RecordListWriter {
  private let place: Outputs.Place
  private var isEmpty = true

  /// Creates a writer that has written nothing.
  public init(_ place: Outputs.Place) { self.place = place }

  /// Writes the records of a block.
  public mutating func write(_ block: RecordBlock) async throws(OutputError) {
    var bytes: [UInt8] = []
    for record in block.records {
      bytes += isEmpty ? place.encoder.header() : place.encoder.separator
      isEmpty = false
      place.encoder.append(record, bytes: block.bytes.span, to: &bytes)
    }
    if !bytes.isEmpty { try await place.write(bytes) }
  }

  /// Writes the footer, and the header if there was no record.
  public func end() async throws(OutputError) {
    let header = isEmpty ? place.encoder.header() : []
    let last = header + place.encoder.footer(isEmpty: isEmpty)
    if !last.isEmpty || isEmpty && place.packing != nil { try await place.write(last) }
    try await place.end()
  }
}
