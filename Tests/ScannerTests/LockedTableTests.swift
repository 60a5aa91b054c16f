import Glibc
import SondeRecords
import SondeSQLite
import Synchronization
import TestSupport
import Testing

@testable import SondeInputs
@testable import SondeOutputs
@testable import SondeSystem
@testable import SondeUpgrade

@Suite struct LockedTableTests {
  /// A table of one record, and a program that has the database locked until a wait for it is
  /// reported.
  private final class LockedFile: Sendable {
    let folder: ScratchFolder
    let path: String
    private let locker = Mutex<Database?>(nil)
    private let reports = Mutex<[String]>([])

    init() throws {
      folder = try ScratchFolder()
      path = folder.file("out.db")
      _ = try OutputFile(opening: path, O_RDWR | O_CREAT)
      let table = try Database(path: path, .writing, wait: RecordDatabase.wait())
      try table.execute(
        """
        CREATE TABLE records (ip TEXT, status TEXT, source TEXT);
        INSERT INTO records VALUES ('8.8.8.8', 'failed', NULL)
        """
      )
    }

    func lock() throws {
      try locker.withLock { locker in
        let database = try Database(path: path, .writing, wait: RecordDatabase.wait())
        try database.execute("BEGIN EXCLUSIVE")
        locker = database
      }
    }

    var said: [String] { reports.withLock { $0 } }

    var waiting: LockedDatabase {
      LockedDatabase { [self] message in
        reports.withLock { $0.append(message) }
        locker.withLock { $0 = nil }
      }
    }
  }

  @Test func `a database that is locked is waited for before it is copied`() throws {
    let file = try LockedFile()
    let table = try OpenedTable(path: file.path, fallbacks: [], waiting: file.waiting)
    try file.lock()
    let copy = file.folder.file("copy.db")
    _ = try table.copy(to: copy)
    #expect(try OpenedTable(path: copy, fallbacks: []).count == 1)
    #expect(file.said.first == "\(file.path) is locked by another program: waiting for it")
    #expect(file.said.count == 2)
  }

  @Test func `a copy that a lock prevents is an error`() throws {
    let file = try LockedFile()
    let source = try Database(path: file.path, .reading, wait: RecordDatabase.wait())
    let path = file.folder.file("copy.db")
    _ = try OutputFile(opening: path, O_RDWR | O_CREAT)
    let copy = try Database(path: path, .writing, wait: RecordDatabase.wait())
    try file.lock()
    let error = #expect(throws: SQLiteError.self) { try source.copy(to: copy) }
    #expect(error?.kind == .busy)
  }

  @Test func `a locked table is not taken for an empty one, nor for one with records`() throws {
    let file = try LockedFile()
    let table = RecordDatabase(path: file.path)
    try file.lock()
    let error = #expect(throws: SQLiteError.self) { try table.isEmpty() }
    #expect(error?.kind == .busy)
    #expect(try file.waiting.run(file.path, table.isEmpty) == false)
  }

  @Test func `a lock that comes and goes is reported once in a while`() throws {
    let said = Mutex<[String]>([])
    let waiting = LockedDatabase(pause: .seconds(600)) { message in
      said.withLock { $0.append(message) }
    }
    for name in ["a.db", "a.db", "a.db", "b.db"] {
      var isLocked = true
      try waiting.run(name) { () throws(SQLiteError) in
        defer { isLocked = false }
        if isLocked { throw SQLiteError(.busy, "locked") }
      }
    }
    let expected = ["a.db", "b.db"].flatMap {
      [
        "\($0) is locked by another program: waiting for it",
        "\($0) is no longer locked, after 0 s",
      ]
    }
    #expect(said.withLock { $0 } == expected)
  }

  @Test func `a wait is reported again after a pause`() {
    let pause = Duration.seconds(600)
    var notices = LockNotices(pause: pause)
    let waits = [
      ("a.db", Duration.zero), ("a.db", pause - .seconds(1)), ("b.db", pause - .seconds(1)),
      ("a.db", pause), ("a.db", pause + .seconds(1)),
    ]
    let reported = waits.map { name, time in notices.admit(name, now: .seconds(5) + time) }
    #expect(reported == [true, false, true, true, false])
  }

  @Test func `a lock that is not waited for after a signal is no fault`() async throws {
    let folder = try ScratchFolder()
    let path = folder.file("out.db")
    let interruption = Interruption()
    let waiting = LockedDatabase(endedBy: interruption)
    let sink = try RecordDatabaseSink(path: path, columns: [.ip], waiting: waiting)
    try await sink.empty()
    let other = try Database(path: path, .writing, wait: RecordDatabase.wait())
    try other.execute("BEGIN IMMEDIATE")
    interruption.end()
    var row: [UInt8] = []
    TableRow.append(text: "8.8.8.8".utf8Span.span, to: &row)
    let error = await #expect(throws: OutputError.self) { try await sink.write(row) }
    #expect(error?.isAbandoned == true)
    try other.execute("ROLLBACK")
  }

  /// Without this, others could write to it while its log is still written back.
  @Test func `a file stays locked until its database is closed`() async throws {
    let folder = try ScratchFolder()
    let path = folder.file("out.db")
    var sink: RecordDatabaseSink? = try RecordDatabaseSink(path: path, columns: [.ip])
    try await sink?.empty()
    var row: [UInt8] = []
    let text = [UInt8](repeating: 0x61, count: 1000)
    TableRow.append(text: text.span, to: &row)
    let rows = Array(repeatElement(row, count: 500).joined())
    try await sink?.write(rows)
    try await sink?.commit()
    let log = path + "-wal"
    #expect(FileStatus(path: log) != nil)
    let other = try Descriptor(opening: path, O_RDWR)
    let isOpenWithLog = Mutex<Bool?>(nil)
    let watcher = try Thread {
      while (try? FileLock.isHeld(other.number, .byte(1 << 62))) == true {}
      isOpenWithLog.withLock { $0 = FileStatus(path: log) != nil }
    }
    sink = nil
    watcher.join()
    #expect(isOpenWithLog.withLock { $0 } == false)
  }
}
