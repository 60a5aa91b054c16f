extension Format {
  /// A FeatureCollection (RFC 7946) with one feature per line, whose properties are the members of
  /// NDJSON.
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
  /// Appends the start of a feature, up to its properties.
  ///
  /// The geometry is a point if both coordinates are known (RFC 7946 §3.1.1: longitude first),
  /// otherwise null (§3.2). This takes less space than a column may.
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

/// The constant texts of a feature.
private enum Feature {
  static let begin = ShortText(#"{"type":"Feature","geometry":"#)
  static let point = ShortText(#"{"type":"Point","coordinates":["#)
  static let pointEnd = ShortText("]}")
  static let nowhere = ShortText("null")
  static let properties = ShortText(#","properties":"#)
}
