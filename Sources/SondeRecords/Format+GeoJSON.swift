extension Format {
  /// One FeatureCollection (RFC 7946), a feature a line, whose properties are the members of NDJSON.
  public static let geojson = Format(
    "geojson",
    endings: [".geojson"],
    header: { _ in Array(#"{"type":"FeatureCollection","features":["#.utf8) },
    append: { plan, record, bytes, added, output in
      output.append(UInt8(ascii: "\n"))
      output.append(beginOf: record)
      plan.appendJSON(record, bytes: bytes, added, to: &output)
      output.append(UInt8(ascii: "}"))
    },
    separator: [UInt8(ascii: ",")],
    footer: { isEmpty in Array((isEmpty ? "]}\n" : "\n]}\n").utf8) }
  )
}

extension OutputSpan<UInt8> {
  /// Appends a feature as far as its properties: with its place, where both coordinates are known
  /// (RFC 7946 §3.1.1: the longitude first; §3.2: else null).
  ///
  /// That is less than a column may take.
  fileprivate mutating func append(beginOf record: Record) {
    append(Feature.begin)
    if record.longitude.isFinite, record.latitude.isFinite {
      append(Feature.point)
      append(shortest: record.longitude)
      append(UInt8(ascii: ","))
      append(shortest: record.latitude)
      append(Feature.pointEnd)
    } else {
      append(Feature.nowhere)
    }
    append(Feature.properties)
  }
}

/// What is the same in every feature, ready to be copied.
private enum Feature {
  static let begin = ShortText(#"{"type":"Feature","geometry":"#)
  static let point = ShortText(#"{"type":"Point","coordinates":["#)
  static let pointEnd = ShortText("]}")
  static let nowhere = ShortText("null")
  static let properties = ShortText(#","properties":"#)
}
