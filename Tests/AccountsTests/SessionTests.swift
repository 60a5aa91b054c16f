import TestSupport
import Testing

@testable import SondeAccounts

@Suite(.timeLimit(.minutes(2))) struct SessionTests {
  private let folder: ScratchFolder
  private let time = TestClock()
  private let ends = Shared<[AccessEnd]>([])

  init() throws { folder = try ScratchFolder() }

  @Test func `alone, a link opens a session of nobody, once, within 10 minutes`() async throws {
    let accounts = try folder.accounts(.alone, clock: time, ends: ends)
    let links = [try await accounts.makeOneTimeLink(), try await accounts.makeOneTimeLink()]
    #expect(links[0].item.expiresAt == time.clock.wall() + .seconds(600))
    var opened = try await accounts.openSession(by: links[0].secret, from: .home)
    #expect(opened.item.user == nil)
    await #expect(throws: AccountError.linkUsed) {
      try await accounts.openSession(by: links[0].secret, from: .home)
    }
    time.advance(.seconds(599))
    let former = opened
    opened = try await accounts.openSession(
      by: links[1].secret,
      from: .home,
      endingFormer: former.secret
    )
    #expect(try await accounts.session(of: former.secret) == nil)
    #expect(ends.value == [AccessEnd(sessions: [former.item.id])])
    #expect(try await accounts.session(of: opened.secret) == opened.item)
    let late = try await accounts.makeOneTimeLink()
    time.advance(.seconds(600))
    for secret in [late.secret, Secret("x"), Secret(""), opened.secret] {
      await #expect(throws: AccountError.linkUsed) {
        try await accounts.openSession(by: secret, from: .home)
      }
    }
    await #expect(throws: AccountError.forbidden) {
      try await accounts.register(email: "a@b", password: .right, from: .home)
    }
  }

  @Test func `in memory, everything is new with each store`() async throws {
    let accounts = try AccountStore(path: nil, membership: .alone)
    let opened = try await accounts.openSession(
      by: try await accounts.makeOneTimeLink().secret,
      from: .home
    )
    #expect(try await accounts.session(of: opened.secret) == opened.item)
    let other = try AccountStore(path: nil, membership: .alone)
    #expect(try await other.session(of: opened.secret) == nil)
    try await accounts.endSession(opened.item.id, of: nil)
    #expect(try await accounts.session(of: opened.secret) == nil)
  }

  @Test func `of many who come with one link at once, one gets in`() async throws {
    let accounts = try folder.accounts(.alone, clock: time)
    let link = try await accounts.makeOneTimeLink().secret
    let opened = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<50 {
        group.addTask { (try? await accounts.openSession(by: link, from: .home)) != nil }
      }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(opened == 1)
    #expect(try await accounts.sessions(of: nil).items.count == 1)
  }

  @Test func `what was opened alone is of no use in a team, nor the other way round`() async throws
  {
    let alone = try await { () async throws -> (Secret, Secret) in
      let accounts = try folder.accounts(.alone, clock: time)
      let link = try await accounts.makeOneTimeLink().secret
      let token = try await accounts.makeToken(named: "x", for: nil)
      return (try await accounts.openSession(by: link, from: .home).secret, token.secret)
    }()
    let team = try await { () async throws -> (Secret, Secret) in
      let accounts = try folder.accounts(.invited, clock: time)
      #expect(try await accounts.session(of: alone.0) == nil)
      #expect(try await accounts.token(of: alone.1) == nil)
      let admin = try await accounts.registerAdmin()
      let token = try await accounts.makeToken(named: "x", for: admin.id)
      return (try await accounts.logIn("admin@example.org").secret, token.secret)
    }()
    let accounts = try folder.accounts(.alone, clock: time)
    #expect(try await accounts.session(of: team.0) == nil)
    #expect(try await accounts.token(of: team.1) == nil)
    #expect(try await accounts.session(of: alone.0) != nil)
    #expect(try await accounts.token(of: alone.1) != nil)
  }

  @Test func `sessions are listed newest first, by pages, one's own alone`() async throws {
    let accounts = try folder.accounts(clock: time)
    let jane = try await accounts.register("jane@example.org")
    _ = try await accounts.logIn("admin@example.org")
    var ids: [String] = []
    for _ in 0..<5 { ids.insert(try await accounts.logIn("jane@example.org").item.id, at: 0) }
    #expect(try await accounts.sessions(of: jane.id).items.map(\.id) == ids)
    var (listed, next): ([String], Int64?) = ([], nil)
    repeat {
      let page = try await accounts.sessions(of: jane.id, before: next, limit: 2)
      #expect(page.items.count <= 2)
      listed += page.items.map(\.id)
      next = page.next
    } while next != nil
    #expect(listed == ids)
    #expect(try await accounts.sessions(of: "x").items.isEmpty)
    time.advance(AccountStore.sessionLifetime)
    #expect(try await accounts.sessions(of: jane.id).items.isEmpty)
  }

  @Test func `one is ended, or all others, and everybody is told`() async throws {
    let accounts = try folder.accounts(clock: time, ends: ends)
    let jane = try await accounts.register("jane@example.org")
    let admin = try await accounts.logIn("admin@example.org")
    var opened: [Issued<Session>] = []
    for _ in 0..<4 { opened.append(try await accounts.logIn("jane@example.org")) }
    // Known, so that it must be forgotten.
    for one in opened { #expect(try await accounts.session(of: one.secret) == one.item) }
    for (id, user) in [(admin.item.id, jane.id), ("x", jane.id), (opened[0].item.id, "x")] {
      await #expect(throws: AccountError.notFound) { try await accounts.endSession(id, of: user) }
    }
    try await accounts.endSession(opened[0].item.id, of: jane.id)
    try await accounts.endSession(of: opened[1].secret)
    try await accounts.endSession(of: opened[1].secret)
    try await accounts.endOtherSessions(than: opened[2].item)
    #expect(ends.value == [0, 1, 3].map { AccessEnd(sessions: [opened[$0].item.id]) })
    for (number, one) in opened.enumerated() {
      #expect(try await accounts.session(of: one.secret) == (number == 2 ? one.item : nil))
    }
    #expect(try await accounts.session(of: admin.secret) == admin.item)
  }

  @Test func `what is over is told with the next change`() async throws {
    let accounts = try folder.accounts(.alone, clock: time, ends: ends)
    let link = try await accounts.makeOneTimeLink().secret
    let opened = try await accounts.openSession(by: link, from: .home)
    time.advance(AccountStore.sessionLifetime)
    _ = try await accounts.makeOneTimeLink()
    #expect(ends.value == [AccessEnd(sessions: [opened.item.id])])
  }

  @Test func `beyond 1000 sessions the oldest ends`() async throws {
    let accounts = try folder.accounts(.alone, clock: time, ends: ends)
    var first: Issued<Session>?
    for _ in 0...AccountStore.mostSessions {
      let opened = try await accounts.openSession(
        by: accounts.makeOneTimeLink().secret,
        from: .home
      )
      first = first ?? opened
    }
    #expect(ends.value == [AccessEnd(sessions: [try #require(first).item.id])])
  }

  @Test func `tokens are named, shown once, listed and revoked`() async throws {
    let accounts = try folder.accounts(clock: time, ends: ends)
    let jane = try await accounts.register("jane@example.org")
    let made = try await accounts.makeToken(named: "cron job", for: jane.id)
    #expect(made.secret.text.wholeMatch(of: /sonde_[0-9a-f]{64}/) != nil)
    #expect(made.item.name == "cron job" && made.item.user == jane)
    #expect(try await accounts.token(of: made.secret) == made.item)
    #expect(try await accounts.session(of: made.secret) == nil)
    let other = try await accounts.makeToken(named: "x", for: jane.id)
    #expect(try await accounts.tokens(of: jane.id).items == [other.item, made.item])
    #expect(try await accounts.tokens(of: jane.id, limit: 1).items == [other.item])
    #expect(try await accounts.tokens(of: "x").items.isEmpty)
    await #expect(throws: AccountError.notFound) {
      try await accounts.revokeToken(made.item.id, of: "x")
    }
    try await accounts.revokeToken(made.item.id, of: jane.id)
    #expect(try await accounts.token(of: made.secret) == nil)
    #expect(ends.value == [AccessEnd(tokens: [made.item.id])])
    await #expect(throws: AccountError.notFound) {
      try await accounts.revokeToken(made.item.id, of: jane.id)
    }
    for name in ["", String(repeating: "x", count: 201), "a\nb", "a\0", "\u{85}"] {
      await #expect(throws: AccountError.invalidName) {
        try await accounts.makeToken(named: name, for: jane.id)
      }
    }
    for nobody in [nil, "x"] {
      await #expect(throws: AccountError.notFound) {
        try await accounts.makeToken(named: "x", for: nobody)
      }
    }
  }
}
