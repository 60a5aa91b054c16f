import TestSupport
import Testing

@testable import SondeAccounts

@Suite(.timeLimit(.minutes(2))) struct LogInTests {
  private let folder: ScratchFolder
  private let time = TestClock()
  private let accounts: AccountStore

  init() throws {
    folder = try ScratchFolder()
    accounts = try folder.accounts(clock: time)
  }

  @Test func `email and password open a session of 30 days`() async throws {
    let user = try await accounts.register("jane@example.org")
    let opened = try await accounts.logIn(" Jane@Example.org ")
    #expect(opened.item.user == user && !user.isAdmin)
    #expect(try await accounts.session(of: opened.secret) == opened.item)
    #expect(opened.item.expiresAt - opened.item.createdAt == .seconds(30 * 86_400))
    time.advance(.seconds(30 * 86_400 - 1))
    #expect(try await accounts.session(of: opened.secret) != nil)
    time.advance(.seconds(1))
    #expect(try await accounts.session(of: opened.secret) == nil)
  }

  @Test func `whatever is wrong is told alike`() async throws {
    try await accounts.register("jane@example.org")
    try await accounts.register("gone@example.org")
    try await accounts.disable("gone@example.org")
    let tries: [(String, Secret)] = [
      ("jane@example.org", .wrong), ("jane@example.org", Secret("")),
      ("nobody@example.org", .right),
      ("gone@example.org", .right), ("no email", .right), ("", Secret("")),
      (String(repeating: "x", count: 100_000), .right),
    ]
    for (email, password) in tries {
      await #expect(throws: AccountError.invalidCredentials) {
        try await accounts.logIn(email: email, password: password, from: .home)
      }
    }
  }

  @Test func `each log-in ends the session that the browser had`() async throws {
    try await accounts.register("jane@example.org")
    let former = try await accounts.logIn("jane@example.org")
    let other = try await accounts.logIn("jane@example.org")
    let new = try await accounts.logIn("jane@example.org", endingFormer: former.secret)
    #expect(try await accounts.session(of: former.secret) == nil)
    #expect(try await accounts.session(of: other.secret) == other.item)
    #expect(Set([former, other, new].map(\.secret.text)).count == 3)
    #expect(Set([former, other, new].map(\.item.id)).count == 3)
    // A try that fails ends nothing.
    await #expect(throws: AccountError.invalidCredentials) {
      try await accounts.logIn(
        email: "jane@example.org",
        password: .wrong,
        from: .home,
        endingFormer: new.secret
      )
    }
    #expect(try await accounts.session(of: new.secret) == new.item)
  }

  @Test(arguments: ["jane@example.org", "nobody@example.org"])
  func `after 10 failures the 11th try waits, whether there is an account or not`(
    email: String
  ) async throws {
    try await accounts.register("jane@example.org")
    func error(_ password: Secret, from address: ClientAddress = .home) async -> AccountError? {
      do throws(AccountError) {
        _ = try await accounts.logIn(email: email, password: password, from: address)
        return nil
      } catch {
        return error
      }
    }
    for _ in 0..<10 { #expect(await error(.wrong) == .invalidCredentials) }
    #expect(await error(.right) == .tooSoon(retryAfter: .seconds(1)))
    let isKnown = email == "jane@example.org"
    #expect(await error(.right, from: .elsewhere) == (isKnown ? nil : .invalidCredentials))
    time.advance(.seconds(1))
    #expect(await error(.wrong) == .invalidCredentials)
    #expect(await error(.right) == .tooSoon(retryAfter: .seconds(2)))
    time.advance(.seconds(2))
    #expect(await error(.right) == (isKnown ? nil : .invalidCredentials))
  }

  @Test func `a new password ends the other sessions, a wrong current one ends none`() async throws
  {
    try await accounts.register("jane@example.org")
    let (own, other) = (
      try await accounts.logIn("jane@example.org"), try await accounts.logIn("jane@example.org")
    )
    let token = try await accounts.makeToken(named: "script", for: own.item.user?.id)
    await #expect(throws: AccountError.invalidCredentials) {
      try await accounts.changePassword(of: own.item, current: .wrong, new: .right, from: .home)
    }
    await #expect(throws: AccountError.invalidPassword) {
      try await accounts.changePassword(
        of: own.item,
        current: .right,
        new: Secret("x"),
        from: .home
      )
    }
    #expect(try await accounts.session(of: other.secret) != nil)
    let new = Secret("another horse")
    try await accounts.changePassword(of: own.item, current: .right, new: new, from: .home)
    #expect(try await accounts.session(of: own.secret) == own.item)
    #expect(try await accounts.session(of: other.secret) == nil)
    #expect(try await accounts.token(of: token.secret) == token.item)
    await #expect(throws: AccountError.invalidCredentials) {
      try await accounts.logIn("jane@example.org")
    }
    _ = try await accounts.logIn(email: "jane@example.org", password: new, from: .home)
  }

  @Test func `who tries current passwords out waits as well`() async throws {
    try await accounts.register("jane@example.org")
    let own = try await accounts.logIn("jane@example.org").item
    for _ in 0..<10 {
      await #expect(throws: AccountError.invalidCredentials) {
        try await accounts.changePassword(of: own, current: .wrong, new: .right, from: .home)
      }
    }
    await #expect(throws: AccountError.tooSoon(retryAfter: .seconds(1))) {
      try await accounts.changePassword(of: own, current: .right, new: .right, from: .home)
    }
  }
}
