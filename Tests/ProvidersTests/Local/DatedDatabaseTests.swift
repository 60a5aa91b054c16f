import Testing

@testable import SondeDatabases

@Suite struct DatedDatabaseTests {
  private let all = [
    DatedDatabase(path: "c", type: "City", date: 100),
    DatedDatabase(path: "a", type: "City", date: 300),
    DatedDatabase(path: "b", type: "City", date: 200),
    DatedDatabase(path: "x", type: "ASN", date: 150),
    DatedDatabase(path: "y", type: "ASN", date: 150),
  ]

  @Test func `of each type the newest, and of two that are as new the later one`() {
    #expect(all.newest().map(\.path) == ["a", "y"])
    #expect([DatedDatabase]().newest() == [])
  }

  @Test func `as of a time, the newest that was built by then`() {
    let table: [(Int64, [String])] = [
      (99, []), (100, ["c"]), (149, ["c"]), (150, ["c", "y"]), (200, ["b", "y"]),
      (299, ["b", "y"]),
      (300, ["a", "y"]), (.max, ["a", "y"]),
    ]
    for (time, paths) in table { #expect(all.newest(asOf: time).map(\.path) == paths, "\(time)") }
  }
}
