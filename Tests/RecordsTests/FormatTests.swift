import Testing

@testable import SondeRecords

@Suite struct FormatTests {
  @Test(arguments: [
    ("a.csv", Format.csv), ("dir.json/a.ndjson", .ndjson), ("a.jsonl", .ndjson), ("a.json", .json),
    ("A.CSV", .csv), ("a.csv.json", .json), ("/tmp/.json", .json), ("a.Tsv", .tsv),
    ("a.geojson", .geojson), ("a.sqlite", .sqlite), ("a.DB", .sqlite),
  ]) func `a file's ending names a format`(path: String, format: Format) {
    #expect(Format(path: path) == format)
  }

  @Test(arguments: ["", "a", "csv", "a.txt", "a.csv.gz", "dir.csv/a", "a.table"])
  func `other endings name none`(path: String) {
    #expect(Format(path: path) == nil)
  }
}
