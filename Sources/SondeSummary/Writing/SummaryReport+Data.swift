import SondeRecords
import SondeSystem

extension SummaryReport {
  /// The tables for programs, in any format except ``SummaryFormat/table``.
  ///
  /// With `spreadsheet`, texts that look like a formula get a leading `'` in CSV and TSV.
  public func data(
    as format: SummaryFormat,
    _ selection: SummarySelection,
    spreadsheet: Bool = false
  ) -> [UInt8] {
    let tables = tables(selection)
    var output: [UInt8] = []
    let hasOne = combinations.count == 1 && tables.isEmpty
    switch format {
    case .table: break
    case .csv where !combinations.isEmpty, .tsv where !combinations.isEmpty:
      let separator: Character = format == .csv ? "," : "\t"
      for table in combinations {
        output += delimitedLine(table.columns, by: separator)
        for row in table.rows {
          let texts = row.values.map { spreadsheet ? ($0 ?? "").asNoFormula : $0 ?? "" }
          output += delimitedLine(texts + row.numbers, by: separator)
        }
      }
    case .csv, .tsv:
      let separator: Character = format == .csv ? "," : "\t"
      output += delimitedLine(Self.columns, by: separator)
      for table in tables {
        for row in table.rows {
          let texts = row.texts(of: table.kind).map { spreadsheet ? $0.asNoFormula : $0 }
          output += delimitedLine(texts + row.numbers, by: separator)
        }
      }
    case .ndjson:
      for table in tables { for row in table.rows { output += row.json(of: table.kind).line } }
      for table in combinations {
        for row in table.rows { output += table.json(of: row, isNamed: !hasOne).line }
      }
    case .json:
      var object = JSONObject()
      for kind in SummaryTable.Kind.allCases {
        let table = tables.first { $0.kind == kind }
        // A requested table is included even if it is empty.
        guard table != nil || selection.kinds?.contains(kind) ?? false else { continue }
        object.add(kind.rawValue, objects: table?.rows.map { $0.json(of: kind) } ?? [])
      }
      for table in combinations {
        object.add(table.name, objects: table.rows.map { table.json(of: $0, isNamed: false) })
      }
      output = object.line
    }
    return output
  }

  private static let columns = [
    "table", "key", "name", "addresses", "hits", "share", "latitude", "longitude",
  ]
}

extension String {
  /// The text, protected against interpretation as a formula.
  fileprivate var asNoFormula: String { utf8.first?.beginsFormula ?? false ? "'" + self : self }
}

extension SummaryTable.Row {
  fileprivate func texts(of kind: SummaryTable.Kind) -> [String] { [kind.rawValue, key, name] }

  /// The values of the number columns; empty if missing.
  fileprivate var numbers: [String] {
    [
      addresses.map(String.init) ?? "", String(hits), Self.shortest(share),
      place.map { Self.shortest($0.latitude) } ?? "",
      place.map { Self.shortest($0.longitude) } ?? "",
    ]
  }

  private static func shortest(_ number: Double) -> String {
    var output: [UInt8] = []
    appendShortest(number, to: &output)
    return String(decoding: output, as: UTF8.self)
  }

  /// The row as an object without missing values.
  fileprivate func json(of kind: SummaryTable.Kind) -> JSONObject {
    var object = JSONObject()
    object.add("table", kind.rawValue)
    object.add("key", key)
    object.add("name", name)
    if let addresses { object.add("addresses", addresses) }
    object.add("hits", hits)
    object.add("share", share)
    if let place {
      object.add("latitude", place.latitude)
      object.add("longitude", place.longitude)
    }
    return object
  }
}
