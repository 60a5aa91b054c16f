import Glibc
import SondeAddresses
import SondeInputs
import SondeOutputs
import SondePage
import SondeRecords
import SondeSummary
import SondeSystem
import TestSupport
import Testing

@testable import SondeDashboard

@Suite(.timeLimit(.minutes(1))) struct RecordDeskTests {
  private let folder: ScratchFolder
  private let desk = RecordDesk()

  init() throws { folder = try ScratchFolder() }

  private struct Row {
    var ip: String
    var status = Status.ok
    var city = ""
    var country = ""
    var place: (Double, Double)?
  }

  private let rows = [
    Row(ip: "9.9.9.9", city: "berlin", country: "Germany", place: (52.5, 13.4)),
    Row(ip: "10.0.0.1", status: .reserved),
    Row(ip: "8.8.8.8", city: "Zürich", country: "Switzerland", place: (47.4, 8.5)),
    Row(ip: "2001:4860::1", city: "Berlin", country: "Germany", place: (52.5, 13.4)),
    Row(ip: "who,\"?", status: .invalid),
    Row(ip: "1.1.1.1", status: .failed),
  ]

  private func block() -> RecordBlock {
    var block = RecordBlock()
    for (index, row) in rows.enumerated() {
      var record = Record(
        address: row.status == .invalid ? nil : address(row.ip),
        status: row.status
      )
      if row.status == .invalid { record[.item] = block.append(text: row.ip) }
      if row.status == .ok { (record.source, record.fetchedAt) = (Source(1), 1_700_000_000) }
      record.place.line = UInt64(index + 1)
      if !row.city.isEmpty { record[.city] = block.append(text: row.city) }
      if !row.country.isEmpty { record[.country] = block.append(text: row.country) }
      if let place = row.place { (record.latitude, record.longitude) = place }
      if row.status != .ok { record[.message] = block.append(text: "=why") }
      block.records.append(record)
    }
    return block
  }

  private func table(isChanging: Bool = false) async throws -> ScanTable {
    let path = folder.file("records.db")
    let table = ScanTable(path: path, inputName: "x", revision: 0, isChanging: isChanging)
    let sink = try RecordDatabaseSink(path: path, columns: RecordColumns.all)
    try await sink.empty()
    var bytes: [UInt8] = []
    RecordDesk.encoder(.sqlite, of: table).append(block(), to: &bytes)
    try await sink.write(bytes)
    try await sink.end()
    return table
  }

  /// What `scan` would have written.
  private func whole(_ format: Format, spreadsheet: Bool = false, _ table: ScanTable) -> [UInt8] {
    let encoder = RecordDesk.encoder(format, of: table, spreadsheet: spreadsheet)
    var bytes = encoder.header()
    encoder.append(block(), to: &bytes)
    return bytes + encoder.footer(isEmpty: false)
  }

  private func download(
    _ content: RecordDownload.Content,
    _ table: ScanTable
  ) async throws -> [UInt8] {
    let download = desk.download(content, of: table)
    var bytes: [UInt8] = []
    while let more = try await download.read() { bytes += more }
    return bytes
  }

  @Test func `a download is what scan writes, byte for byte`() async throws {
    let table = try await table()
    for format in [Format.csv, .ndjson, .json, .tsv] {
      for spreadsheet in [false, true] {
        let made = try await download(
          .records(format, spreadsheet: spreadsheet, RecordChoice()),
          table
        )
        #expect(made == whole(format, spreadsheet: spreadsheet, table), "\(format.name)")
      }
    }
  }

  @Test func `a download whose scan is deleted ends with an error`() async throws {
    let table = try await table()
    let records = RecordDownload.Content.records(.ndjson, spreadsheet: false, RecordChoice())
    let whole = desk.download(records, of: table)
    _ = try await whole.read()
    let download = desk.download(.records(.csv, spreadsheet: false, RecordChoice()), of: table)
    // The header, and no record yet.
    _ = try await download.read()
    #expect(unsafe unlink(table.path) == 0)
    await #expect(throws: DashboardError.self) { try await download.read() }
    // It has all that it needs.
    #expect(try await whole.read() == nil)
  }

  @Test func `without records a download is that of none`() async throws {
    let none = ScanTable(path: folder.file("none"), inputName: "x", revision: 0, isChanging: true)
    let json = try await download(.records(.json, spreadsheet: false, RecordChoice()), none)
    #expect(String(decoding: json, as: UTF8.self) == "[]\n")
    let csv = try await download(.records(.csv, spreadsheet: true, RecordChoice()), none)
    #expect(csv == RecordDesk.encoder(.csv, of: none).header())
    #expect(try await desk.page(RecordQuery(), of: none).total == 0)
    #expect(try await desk.places(zoom: 1, bounds: .world, of: none).isEmpty)
  }

  @Test func `what is missing and what is invalid are files of their own`() async throws {
    let table = try await table()
    #expect(String(decoding: try await download(.missing, table), as: UTF8.self) == "1.1.1.1\n")
    let rejects = String(decoding: try await download(.rejects, table), as: UTF8.self)
    #expect(rejects.contains(#""ip":"who,\"?""#) && rejects.split(separator: "\n").count == 1)
  }

  private func ips(_ change: (inout RecordQuery) -> Void, isChanging: Bool = false) async throws
    -> [String]
  {
    var query = RecordQuery()
    change(&query)
    var table =
      folder.names.isEmpty
      ? try await table()
      : ScanTable(path: folder.file("records.db"), inputName: "x", revision: 0, isChanging: false)
    if isChanging {
      table = ScanTable(path: table.path, inputName: "x", revision: 0, isChanging: true)
    }
    return try await desk.page(query, of: table).items.map { item in
      let text = String(decoding: item, as: UTF8.self)
      return String(text.dropFirst(7).prefix { $0 != "\"" })
    }
  }

  @Test func `records are ordered by any column, what has no value last`() async throws {
    let input = ["9.9.9.9", "10.0.0.1", "8.8.8.8", "2001:4860::1", "who,\\", "1.1.1.1"]
    #expect(try await ips { _ in } == input)
    let byIP = try await ips { $0.order = .init(by: .ip) }
    #expect(byIP == ["1.1.1.1", "8.8.8.8", "9.9.9.9", "10.0.0.1", "2001:4860::1", "who,\\"])
    let byCity = try await ips { $0.order = .init(text: "city") }
    #expect(byCity.prefix(3) == ["9.9.9.9", "2001:4860::1", "8.8.8.8"])
    let down = try await ips { $0.order = .init(text: "-city") }
    #expect(down.prefix(3) == ["8.8.8.8", "9.9.9.9", "2001:4860::1"])
    let byLine = try await ips { $0.order = .init(by: .line, isDescending: true) }
    #expect(byLine == input.reversed())
    #expect(RecordQuery.Order(text: "-input") == nil && RecordQuery.Order(text: "-") == nil)
    // A source may have added it, which shows in the table.
    await #expect(throws: DashboardError.self) { try await ips { $0.order = .init(text: "x") } }
    #expect(try await ips({ $0.order = .init(by: .ip) }, isChanging: true) == input)
  }

  @Test func `a filter finds a text anywhere, and a status only its records`() async throws {
    #expect(try await ips { $0.choice.filter = "BERLIN" } == ["9.9.9.9", "2001:4860::1"])
    #expect(try await ips { $0.choice.filter = "%" } == [])
    #expect(try await ips { $0.choice.filter = "," } == ["who,\\"])
    #expect(try await ips { $0.choice.status = .failed } == ["1.1.1.1"])
    let both = try await ips {
      ($0.choice.filter, $0.choice.status, $0.order) = (
        "germany", .ok, .init(by: .ip, isDescending: true)
      )
    }
    #expect(both == ["2001:4860::1", "9.9.9.9"])
  }

  @Test func `a condition chooses records, also for files`() async throws {
    let choose = { (condition: String) in
      try await ips {
        $0.choice.condition = condition
        $0.order = .init(by: .line)
      }
    }
    // As with `--where`, what has no answer stays where only an answer could exclude it.
    let open = ["who,\\", "1.1.1.1"]
    #expect(try await choose("country = Germany") == ["9.9.9.9", "2001:4860::1"] + open)
    #expect(try await choose("city = Berlin and not ip in (9.0.0.0/8)") == ["2001:4860::1"] + open)
    #expect(try await choose("not city") == ["10.0.0.1"] + open)
    #expect(try await choose("status = failed or status = invalid") == ["who,\\", "1.1.1.1"])
    let errors = [
      "country Germany": "“where”, column 9: ", "town = x": "“where”, column 1: ",
      "ip in @file": "“where”, column 7: files are not read here",
    ]
    for (condition, begin) in errors {
      let error = await #expect(throws: DashboardError.self) { try await choose(condition) }
      #expect(error?.kind == .invalid && error?.detail.hasPrefix(begin) == true, "\(error as Any)")
    }
    var choice = RecordChoice()
    (choice.condition, choice.filter) = ("country = Germany", "berlin")
    let content = RecordDownload.Content.records(.csv, spreadsheet: false, choice)
    let table = ScanTable(
      path: folder.file("records.db"),
      inputName: "x",
      revision: 0,
      isChanging: false
    )
    let lines = String(decoding: try await download(content, table), as: UTF8.self)
    #expect(lines.split(separator: "\n").count == 3)
  }

  @Test func `only the first matches are counted`() async throws {
    let path = folder.file("many.db")
    let table = ScanTable(path: path, inputName: "x", revision: 0, isChanging: false)
    let sink = try RecordDatabaseSink(path: path, columns: RecordColumns.all)
    try await sink.empty()
    var block = RecordBlock()
    for number in 0..<UInt32(10_002) {
      block.records.append(Record(address: Address(ipv4: 0x0500_0000 + number), status: .failed))
    }
    var bytes: [UInt8] = []
    RecordDesk.encoder(.sqlite, of: table).append(block, to: &bytes)
    try await sink.write(bytes)
    try await sink.end()
    var query = RecordQuery()
    #expect(try await desk.page(query, of: table).total == 10_002)
    for choose in [\RecordChoice.filter, \.condition] {
      query.choice = RecordChoice()
      query.choice[keyPath: choose] = choose == \.filter ? "5.0." : "status = failed"
      let page = try await desk.page(query, of: table)
      #expect(page.total == 10_000 && page.hasMore && page.pages == 100)
      #expect(page.columns == ["ip", "status"])
    }
    query.choice.condition = "ip in (5.0.0.0/24)"
    let page = try await desk.page(query, of: table)
    #expect(page.total == 256 && !page.hasMore)
  }

  @Test func `hits are the occurrences in the upload`() async throws {
    var table = try await table()
    let list = "9.9.9.9\n9.9.9.9\n8.8.8.8\n2001:4860::1\n9.9.9.9\n10.0.0.1\n1.1.1.1\nwho,\"?\n"
    table.upload = try upload(list, .list)
    let address = try await RecordDesk().report(of: table)[.address]
    #expect(address?.rows.first { $0.key == "9.9.9.9" }?.hits == 3)
    #expect(address?.rows.first { $0.key == "8.8.8.8" }?.hits == 1)
    let log = "2026-01-01T10:00:00Z 8.8.8.8 8.8.8.8\n2026-01-01T11:00:00Z 9.9.9.9 8.8.8.8\n"
    table.upload = try upload(log, .log)
    let report = try await RecordDesk().report(of: table)
    #expect(report[.address]?.rows.first?.key == "8.8.8.8")
    #expect(report[.address]?.rows.first?.hits == 3)
    #expect(report[.hour]?.rows.map(\.hits) == [2, 2])
  }

  private func upload(_ text: String, _ mode: InputMode) throws -> ScanTable.Upload {
    let path = folder.file("upload")
    let bytes = Array(text.utf8)
    let file = try Descriptor(opening: path, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600)
    #expect(unsafe write(file.number, bytes, bytes.count) == bytes.count)
    return ScanTable.Upload(path: path, mode: mode, longestUnpacked: 1 << 20)
  }

  @Test func `pages follow one another`() async throws {
    let table = try await table()
    var query = RecordQuery()
    query.size = 4
    var page = try await desk.page(query, of: table)
    #expect([page.items.count, page.pages, page.total] == [4, 2, 6])
    query.page = 2
    page = try await desk.page(query, of: table)
    #expect(page.items.count == 2)
    for far in [3, Int.max] {
      query.page = far
      query.order = far == 3 ? nil : .init(by: .city)
      #expect(try await desk.page(query, of: table).items.isEmpty)
    }
  }

  @Test func `places that are close are one`() async throws {
    let table = try await table()
    let far = try await desk.places(zoom: 0, bounds: .world, of: table)
    #expect(far.map(\.addresses) == [3])
    let near = try await desk.places(zoom: 8, bounds: .world, of: table)
    #expect(near.map(\.addresses) == [2, 1])
    #expect(near[0].name.hasSuffix("erlin, Germany"))
    let box = MapBounds(south: 47, west: 8, north: 48, east: 9)
    let inside = try await desk.places(zoom: 8, bounds: box, of: table)
    #expect(inside.map(\.name) == ["Zürich, Switzerland"])
    let around = MapBounds(south: -90, west: 170, north: 90, east: -170)
    #expect(try await desk.places(zoom: 8, bounds: around, of: table).isEmpty)
  }

  @Test func `countries are counted as summary does`() async throws {
    let table = try await table()
    let text = String(decoding: try await desk.summary(of: table, top: 1), as: UTF8.self)
    let germany = #"{"table":"country","key":"","name":"","addresses":6,"hits":6,"share":1}"#
    #expect(text.hasPrefix(#"{"countries":["#) && text.contains(#""networks":["#))
    #expect(text.hasSuffix(#""hours":null,"days":null}"#) && !text.contains(germany))
    #expect(await desk.tally(of: table)?.ok == 3)
  }
}
