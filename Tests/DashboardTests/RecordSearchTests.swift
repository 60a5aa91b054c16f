import Glibc
import SondeInputs
import SondeOutputs
import SondeRecords
import SondeSQLite
import TestSupport
import Testing

@testable import SondeDashboard

@Suite(.timeLimit(.minutes(1))) struct RecordSearchTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func database(_ path: String) throws -> Database {
    unsafe close(open(path, O_CREAT | O_WRONLY, 0o600))
    let database = try Database(path: path, .writing, wait: LockWait())
    try database.enableTextSearch()
    return database
  }

  @Test func `a text is found where LIKE finds it, in any of many values`() throws {
    let database = try database(folder.file("search.db"))
    var chance = SeededGenerator(seed: 28)
    let characters = Array("aAbBzZ[{@`%_\\0é É\u{0}9")
    func text(_ longest: Int) -> String {
      String(
        (0..<Int.random(in: 0...longest, using: &chance)).map { _ in
          characters.randomElement(using: &chance) ?? "a"
        }
      )
    }
    // LIKE reads no further than a zero, so no value has one.
    let sql = """
      SELECT contains(?1, ?2, NULL, ?3, 4095), ?2 LIKE ?4 ESCAPE '\\' OR ?3 LIKE ?4 ESCAPE '\\'
        OR 4095 LIKE ?4 ESCAPE '\\'
      """
    var found = 0
    for turn in 0..<3000 {
      let wanted = turn % 10 == 0 ? "409".prefix(turn / 10 % 4).description : text(3)
      let values = [text(8), text(turn % 100 == 0 ? 3000 : 20)].map { $0.filter { $0 != "\u{0}" } }
      let pattern = wanted.reduce("") { $0 + ("%_\\".contains($1) ? "\\" : "") + String($1) }
      let folded = String(wanted.map { $0.isASCII ? Character($0.lowercased()) : $0 })
      let statement = try database.statement(made: sql)
      statement.bind([.text(folded), .text(values[0]), .text(values[1]), .text("%\(pattern)%")])
      #expect(try statement.step())
      let isLike = wanted.contains("\u{0}") ? 0 : statement.number(1)
      #expect(statement.number(0) == isLike, "\(wanted) in \(values)")
      found += Int(statement.number(0))
      statement.reset()
    }
    #expect((500..<2500).contains(found))
  }

  @Test func `a text of no value is in none`() throws {
    let database = try database(folder.file("search.db"))
    #expect(try database.number("SELECT contains('', NULL)") == 0)
    #expect(try database.number("SELECT contains('')") == 0)
    #expect(try database.number("SELECT contains('', '')") == 1)
    #expect(try database.number("SELECT contains('ab', 'a', 'b')") == 0)
  }

  @Test func `the halves of a long table are searched as the whole is`() async throws {
    let path = folder.file("records.db")
    let sink = try RecordDatabaseSink(path: path, columns: RecordColumns.all)
    try await sink.empty()
    try await sink.end()
    let count = 240_001
    // In every 10th and 15th row, in the last rows alone, and in the first rows alone.
    try Database(path: path, .writing, wait: LockWait()).execute(
      """
      INSERT INTO records (ip, status, city, region, isp, line)
      WITH RECURSIVE rows (row) AS (SELECT 1 UNION ALL SELECT row + 1 FROM rows LIMIT \(count))
      SELECT '5.5.5.5', 'ok', iif(row % 10, 'Ulm', 'Bern'),
        iif(row > \(count) - 3, 'End', iif(row < 20000, 'Start', NULL)),
        iif(row % 15, NULL, 'Fifteen'), row FROM rows
      """
    )
    let table = ScanTable(path: path, inputName: "x", revision: 0, isChanging: false)
    let desk = RecordDesk()
    for (filter, total, hasMore, last) in [
      ("BERN", 10_000, true, 100_000), ("end", 3, false, count), ("start", 10_000, true, 10_000),
      ("fifteen", 10_000, true, 150_000), ("none", 0, false, 0),
    ] {
      var query = RecordQuery()
      (query.choice.filter, query.size) = (filter, 500)
      query.page = max(1, (total + 499) / 500)
      let page = try await desk.page(query, of: table)
      #expect(page.total == total && page.hasMore == hasMore, "\(filter)")
      let item = page.items.last.map { String(decoding: $0, as: UTF8.self) }
      #expect(
        item.map { $0.contains("\"line\":\(last)") } ?? (total == 0),
        "\(filter): \(item ?? "")"
      )
      #expect(page.columns.count == 6)
    }
    // A condition that is met on both sides of the middle.
    var query = RecordQuery()
    query.choice.condition = "line > 119000 and line <= 121000"
    #expect(try await desk.page(query, of: table).total == 2000)
  }

  @Test func `a text is found in what a run has written since the columns were looked at`()
    async throws
  {
    let path = folder.file("records.db")
    let sink = try RecordDatabaseSink(path: path, columns: RecordColumns.all)
    try await sink.empty()
    try await sink.end()
    let writer = try Database(path: path, .writing, wait: LockWait())
    try writer.execute("INSERT INTO records (ip, status, line) VALUES ('5.5.5.5', 'failed', 1)")
    let table = ScanTable(path: path, inputName: "x", revision: 0, isChanging: true)
    let desk = RecordDesk()
    #expect(try await desk.page(RecordQuery(), of: table).columns == ["ip", "status", "line"])
    try writer.execute("UPDATE records SET status = 'ok', city = 'Ulm'")
    var query = RecordQuery()
    query.choice.filter = "ulm"
    #expect(try await desk.page(query, of: table).total == 1)
  }

  @Test(arguments: [150, 1100]) func `tables of many columns are searched`(count: Int) async throws
  {
    let path = folder.file("records.db")
    let sink = try RecordDatabaseSink(path: path, columns: RecordColumns.all)
    try await sink.empty()
    try await sink.end()
    let writer = try Database(path: path, .writing, wait: LockWait())
    for number in 0..<count {
      try writer.execute("ALTER TABLE records ADD COLUMN own\(number) TEXT")
    }
    try writer.execute(
      "INSERT INTO records (ip, status, own\(count - 1)) VALUES ('5.5.5.5', 'ok', 'Here')"
    )
    for isChanging in [false, true] {
      let table = ScanTable(path: path, inputName: "x", revision: 0, isChanging: isChanging)
      var query = RecordQuery()
      for (filter, total) in [("", 1), ("here", 1), ("nowhere", 0)] {
        query.choice.filter = filter
        let page = try await RecordDesk().page(query, of: table)
        #expect(page.total == total && page.columns == ["ip", "status", "own\(count - 1)"])
      }
    }
  }
}
