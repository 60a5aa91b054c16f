import Synchronization
import TestSupport
import Testing

@testable import SondeWeb

@Suite struct PaceTests {
  private let limits = Limits()

  @Test func `a header has ten seconds from the connection's begin`() {
    var pace = ConnectionPace(openedAt: .seconds(100))
    func isOverdue(_ now: Duration, _ body: Int?) -> Bool {
      pace.isOverdue(at: now, body: body, limits: limits)
    }
    #expect(!isOverdue(.seconds(109), nil))
    #expect(isOverdue(.seconds(110), nil))
    pace.headerCame()
    #expect(!isOverdue(.seconds(1000), nil))
  }

  @Test func `a kept connection may idle, and then has ten seconds again`() {
    var pace = ConnectionPace(openedAt: .zero)
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
    var pace = ConnectionPace(openedAt: .zero)
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
    var pace = ConnectionPace(openedAt: .zero)
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

  @Test func `above the limit the oldest that is nobody's goes, each once`() throws {
    var table = ConnectionTable()
    let connections = try (1...6).map { try connection($0) }
    #expect(table.add(connections[0], limit: 2) == nil)
    connections[0].note { true }
    #expect(table.add(connections[1], limit: 2) == nil)
    #expect(table.add(connections[2], limit: 2)?.id == 2)
    // The second is not closed yet.
    #expect(table.add(connections[3], limit: 2)?.id == 3)
    for id in [2, 3, 1] as [UInt64] { table.remove(id) }
    #expect(table.add(connections[4], limit: 2) == nil)
    #expect(table.all.map(\.id) == [4, 5])
    table.remove(7)
    #expect(table.add(connections[5], limit: 2)?.id == 4)
  }

  @Test func `where all have a session and are busy the new one goes`() throws {
    var table = ConnectionTable()
    let old = try connection(1)
    old.note { true }
    #expect(table.add(old, limit: 1) == nil)
    #expect(table.add(try connection(2), limit: 1)?.id == 2)
  }

  @Test func `where all have a session the oldest idle one of whoever has most goes`() throws {
    var table = ConnectionTable()
    for (id, user) in zip((1...4) as ClosedRange<UInt64>, ["anna", "bob", "bob", "bob"]) {
      let connection = try connection(id)
      #expect(table.add(connection, limit: 4) == nil)
      connection.note({ true }, of: user)
      // The second is busy.
      if id != 2 { connection.ended() }
    }
    #expect(table.add(try connection(5), limit: 4)?.id == 3)
  }

  @Test func `a user's oldest idle connection goes for one too many`() throws {
    var table = ConnectionTable()
    var connections: [Connection] = []
    for id in 1...4 as ClosedRange<UInt64> {
      let connection = try connection(id)
      connections.append(connection)
      _ = table.add(connection, limit: 100)
      connection.note({ true }, of: id == 1 ? "anna" : "bob")
      #expect(table.makeRoom(for: connection, limit: 3).mayStay)
      if id != 2 { connection.ended() }
    }
    let fourth = try connection(5)
    _ = table.add(fourth, limit: 100)
    fourth.note({ true }, of: "bob")
    let room = table.makeRoom(for: fourth, limit: 3)
    #expect(room.mayStay && room.closed?.id == 3)
    // It is leaving, and no longer counted.
    #expect(table.makeRoom(for: fourth, limit: 3).closed == nil)
    let fifth = try connection(6)
    _ = table.add(fifth, limit: 100)
    fifth.note({ true }, of: "bob")
    #expect(table.makeRoom(for: fifth, limit: 3).closed?.id == 4)
    let sixth = try connection(7)
    _ = table.add(sixth, limit: 100)
    sixth.note({ true }, of: "bob")
    #expect(table.makeRoom(for: sixth, limit: 3).mayStay == false)
  }

  @Test func `a proxy's connection is nobody's`() throws {
    let peer = try #require(NumericAddress("192.0.2.1"))
    let connection = Connection(id: 1, descriptor: -1, peer: peer, isProxied: true)
    connection.note({ true }, of: "anna")
    #expect(connection.isNobodys && connection.user == nil)
  }

  @Test func `a connection is its last request's user's while that session lives`() async throws {
    let lives = Mutex(true)
    let connection = try connection(1)
    #expect(connection.isNobodys)
    connection.note { lives.withLock { $0 } }
    await connection.checkSession()
    #expect(!connection.isNobodys)
    connection.note(nil)
    #expect(connection.isNobodys)
    connection.note { lives.withLock { $0 } }
    lives.withLock { $0 = false }
    #expect(!connection.isNobodys)
    await connection.checkSession()
    #expect(connection.isNobodys)
    // A check that a newer request has overtaken changes nothing.
    connection.note { [connection] in
      connection.note { true }
      return false
    }
    await connection.checkSession()
    #expect(!connection.isNobodys)
  }
}

@Suite(.timeLimit(.minutes(1))) struct ConnectionLifeTests {
  /// An object that something else may keep.
  private struct Kept: Sendable { weak var object: (any AnyObject & Sendable)? }

  @Test func `a connection that is closed forgets its session`() throws {
    var connection: Connection? = Connection(
      id: 1,
      descriptor: -1,
      peer: try #require(NumericAddress("192.0.2.1"))
    )
    let kept = Kept(object: connection)
    connection?.note { [connection] in connection != nil }
    connection?.closed()
    connection = nil
    #expect(kept.object == nil)
  }

  @Test func `the check of a session keeps nothing of the request`() async throws {
    let seen = Mutex([Kept]())
    let test = try TestServer { routes in
      routes.on(.get, "/me") { request, user in
        seen.withLock { $0.append(Kept(object: request.source as? Exchange)) }
        return .text(user)
      }
    }
    // The connection stays open, and keeps the check.
    let client = try RawClient(port: test.port)
    await client.send("GET /me HTTP/1.1\r\nHost: \(test.host)\r\nCookie: test=secret\r\n\r\n")
    #expect(await client.receive(until: "anna").hasSuffix("anna"))
    try await waitUntil { seen.withLock { $0.map { $0.object == nil } == [true] } }
    await test.server.stop()
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
