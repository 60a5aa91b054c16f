import SondeProviders
import SondeRecords

/// The columns of a scan's table.
enum RecordColumns {
  /// The default columns of `scan`, so that its files can be created from the table.
  static let all = Field.standard

  /// Whether a table may have a column: a standard one, or one added by a source.
  static func mayHave(_ field: Field) -> Bool {
    if case .added(let column) = field { !column.name.isEmpty } else { all.contains(field) }
  }
}

extension RecordEncoder {
  /// An encoder of answers as JSON objects, which have neither a place in an input nor traffic.
  static func ofAnswers(adding sources: [any ColumnSource] = []) -> RecordEncoder {
    let unwanted = Set(Field.places + Field.occurrence + Field.totals)
    return RecordEncoder(
      format: .ndjson,
      fields: Field.allCases.filter { !unwanted.contains($0) }
        + sources.flatMap(\.columns).map(Field.added),
      sources: Provider.sourceNames,
      added: sources
    )
  }

  /// A record as a JSON object, by an encoder of the format NDJSON.
  func object(_ record: Record, of block: RecordBlock) -> [UInt8] {
    var bytes: [UInt8] = []
    append(record, bytes: block.bytes.span, to: &bytes)
    // Without the line feed.
    bytes.removeLast()
    return bytes
  }
}
