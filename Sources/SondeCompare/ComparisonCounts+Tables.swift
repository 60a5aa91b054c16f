import SondeRecords
public import SondeSummary

extension ComparisonCounts {
  /// The columns of the tables.
  public static let columns = [
    RowEncoding.Column("table", width: 10), .init("key", width: 16),
    .init("addresses", width: 9, isNumber: true), .init("agreement", width: 9, isNumber: true),
    .init("median_km", width: 9, isNumber: true), .init("right", width: 5, isNumber: true),
  ]

  /// The tables: the sources in order, the countries with the most addresses first, and the
  /// confidences.
  public func tables(of names: [ComparedSource]) -> [(name: String, rows: [[String]])] {
    let countries = countries.sorted {
      ($1.value.addresses, $0.key) < ($0.value.addresses, $1.key)
    }
    return [
      table("source", zip(names, sources).map { ($0.name, $1) }),
      table("country", countries.map { ($0.key, $0.value) }),
      table("confidence", Confidence.allCases.map { ($0.rawValue, confidences[$0] ?? Row()) }),
    ]
  }

  private func table(_ name: String, _ rows: [(String, Row)]) -> (String, [[String]]) {
    let texts = rows.map { key, row in
      [
        name, key, String(row.addresses), Self.text(row.meanAgreement?.thousandths),
        Self.text(row.medianDistance), Self.text(row.rightShare?.thousandths),
      ]
    }
    return (name, texts)
  }

  private static func text(_ number: Double?) -> String {
    var bytes: [UInt8] = []
    if let number { appendShortest(number, to: &bytes) }
    return String(decoding: bytes, as: UTF8.self)
  }
}
