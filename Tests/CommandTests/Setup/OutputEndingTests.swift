import SondeOutputs
import Testing

@testable import SondeRecords
@testable import SondeSetup
@testable import sonde

@Suite struct OutputEndingTests {
  private static let known: [(String, Format?, Packing?)] = [
    ("a.csv", .csv, nil), ("a.CSV", .csv, nil), ("a.Json", .json, nil), ("a.ndjson", .ndjson, nil),
    ("a.jsonl", .ndjson, nil), ("a.b/c", nil, nil), ("/tmp/a", nil, nil),
    (".csv", nil, nil),
    ("a.csv.gz", .csv, .gzip), ("a.JSON.GZ", .json, .gzip), ("x.y/a.csv.zst", .csv, .zstd),
    ("a.gz", nil, .gzip), ("/dev/null", nil, nil), ("a.TSV", .tsv, nil),
    ("a.tsv.gz", .tsv, .gzip), ("a.GeoJSON.zst", .geojson, .zstd), ("a.sqlite", .sqlite, nil),
    ("x.db/a.DB", .sqlite, nil),
  ]

  @Test func `the last ending says the form, and one of a compression before it`() {
    let wrong = Self.known.filter { path, format, packing in
      let ending = OutputEnding(path)
      return ending.format != format || ending.packing != packing || ending.unknown != nil
    }
    #expect(wrong.map(\.0) == [])
  }

  @Test(arguments: [
    ("a.xlsx", ".xlsx"), ("a.txt", ".txt"), ("a.sqlite3", ".sqlite3"), ("a.tab", ".tab"),
    ("a.csv.bz2", ".bz2"), ("a.xlsx.gz", ".xlsx"), ("a.db.gz", ".db.gz"),
    ("a.SQLITE.zst", ".SQLITE.zst"),
    ("a.", "."),
  ])
  func `any other says none`(path: String, unknown: String) {
    #expect(OutputEnding(path).unknown == unknown)
    #expect(OutputEnding(path).format == nil)
  }
}
