/// A form of the output.
public enum Format: String, CaseIterable, Sendable {
  /// Comma-separated values (RFC 4180) with a header, lines ending in `\n`.
  case csv
  /// A JSON object a line.
  case ndjson
  /// One JSON array.
  case json
  /// Columns for a person.
  case table
  /// A paragraph for each record, for a person.
  case card

  /// The form that a file's ending asks for; `nil` when it asks for none.
  public init?(path: String) {
    let name = path.split(separator: "/").last ?? ""
    guard let dot = name.lastIndex(of: ".") else { return nil }
    switch name[dot...].lowercased() {
    case ".csv": self = .csv
    case ".json": self = .json
    case ".ndjson", ".jsonl": self = .ndjson
    default: return nil
    }
  }
}
