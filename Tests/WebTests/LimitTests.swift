import Testing

@testable import Web

@Suite struct PaceTests {
  private let limits = Limits()

  @Test func `a header has ten seconds from the connection's begin`() {
    var pace = Pace(openedAt: .seconds(100))
    func isOverdue(_ now: Duration, _ body: Int?) -> Bool {
      pace.isOverdue(at: now, body: body, limits: limits)
    }
    #expect(!isOverdue(.seconds(109), nil))
    #expect(isOverdue(.seconds(110), nil))
    pace.headerCame()
    #expect(!isOverdue(.seconds(1000), nil))
  }

  @Test func `a kept connection may idle, and then has ten seconds again`() {
    var pace = Pace(openedAt: .zero)
    func isOverdue(_ now: Duration, _ body: Int?) -> Bool {
      pace.isOverdue(at: now, body: body, limits: limits)
    }
    pace.headerCame()
    pace.answerSent(at: .seconds(5))
    #expect(pace.idleSince == .seconds(5))
    #expect(!isOverdue(.seconds(50), nil))
    pace.headerBegan(at: .seconds(50))
    #expect(!isOverdue(.seconds(59), nil))
    #expect(isOverdue(.seconds(60), nil))
  }

  @Test func `a body comes at its rate over every window`() {
    var pace = Pace(openedAt: .zero)
    func isOverdue(_ now: Duration, _ body: Int?) -> Bool {
      pace.isOverdue(at: now, body: body, limits: limits)
    }
    pace.headerCame()
    #expect(!isOverdue(.seconds(0), 0))
    #expect(!isOverdue(.seconds(29), 0))
    #expect(!isOverdue(.seconds(30), 30 * 1024))
    #expect(isOverdue(.seconds(60), 60 * 1024 - 1))
  }

  @Test func `while the server does not read, no time passes`() {
    var pace = Pace(openedAt: .zero)
    func isOverdue(_ now: Duration, _ body: Int?) -> Bool {
      pace.isOverdue(at: now, body: body, limits: limits)
    }
    pace.headerCame()
    #expect(!isOverdue(.seconds(0), 0))
    #expect(!isOverdue(.seconds(29), nil))
    #expect(!isOverdue(.seconds(31), 0))
    #expect(!isOverdue(.seconds(60), 0))
    #expect(isOverdue(.seconds(61), 0))
  }
}

@Suite struct ConnectionTableTests {
  private func connection(_ id: UInt64) throws -> Connection {
    Connection(id: id, descriptor: -1, peer: try #require(NumericAddress("192.0.2.1")))
  }

  @Test func `above the limit the oldest without a session goes`() throws {
    var table = ConnectionTable()
    func add(_ connection: Connection, _ limit: Int) -> Connection? {
      table.add(connection, limit: limit)
    }
    let connections = try (1...5).map { try connection($0) }
    #expect(add(connections[0], 2) == nil)
    connections[0].noteSession()
    #expect(add(connections[1], 2) == nil)
    #expect(add(connections[2], 2)?.id == 2)
    table.remove(2)
    #expect(add(connections[3], 2)?.id == 3)
    table.remove(3)
    table.remove(1)
    #expect(add(connections[4], 2) == nil)
    #expect(table.all.map(\.id).sorted() == [4, 5])
  }

  @Test func `where all have a session the new one goes`() throws {
    var table = ConnectionTable()
    func add(_ connection: Connection, _ limit: Int) -> Connection? {
      table.add(connection, limit: limit)
    }
    let old = try connection(1)
    old.noteSession()
    #expect(add(old, 1) == nil)
    #expect(add(try connection(2), 1)?.id == 2)
  }

  @Test func `however many come and go, few are remembered`() throws {
    var table = ConnectionTable()
    func add(_ connection: Connection, _ limit: Int) -> Connection? {
      table.add(connection, limit: limit)
    }
    let first = try connection(0)
    _ = add(first, 2)
    for id in 1...10_000 as ClosedRange<UInt64> {
      _ = add(try connection(id), 2)
      table.remove(id)
    }
    #expect(add(try connection(10_001), 2) == nil)
    #expect(add(try connection(10_002), 2) === first)
  }
}

@Suite struct UploadTests {
  @Test func `what there is no room for is left, until it is read`() {
    var upload = Upload()
    let bytes = [UInt8](repeating: 1, count: 40_000)
    func next() -> Upload.Reading? { upload.next() }
    func append() -> Int { unsafe bytes.withUnsafeBytes { unsafe upload.append($0) } }
    #expect(next() == nil)
    #expect(append() == 40_000)
    #expect(append() == Upload.room - 40_000)
    #expect(append() == 0)
    #expect(next() == .bytes([UInt8](repeating: 1, count: Upload.room)))
    #expect(append() == 40_000)
    upload.finish()
    #expect(next() == .bytes(bytes))
    #expect(next() == .end)
    upload.cut()
    #expect(next() == .end)
    #expect(upload.received == Upload.room + 40_000)
  }

  @Test func `one that is cut is not whole`() {
    var upload = Upload()
    upload.cut()
    let next = upload.next()
    #expect(next == .cut)
  }
}
