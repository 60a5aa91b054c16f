import TestSupport
import Testing

@testable import SondeAccounts

@Suite(.timeLimit(.minutes(2))) struct UserTests {
  private let folder: ScratchFolder
  private let time = TestClock()
  private let ends = Shared<[AccessEnd]>([])
  private let accounts: AccountStore

  /// What somebody has.
  private struct Belongings {
    let session: Issued<Session>
    let token: Issued<Token>
  }

  init() throws {
    folder = try ScratchFolder()
    accounts = try folder.accounts(clock: time, ends: ends)
  }

  private func belongings(of user: User) async throws -> Belongings {
    let own = Belongings(
      session: try await accounts.logIn(user.email.text),
      token: try await accounts.makeToken(named: "x", for: user.id)
    )
    try await check(own, isUsable: true)
    return own
  }

  private func check(_ own: Belongings, isUsable: Bool) async throws {
    #expect(
      try await accounts.session(of: own.session.secret) == (isUsable ? own.session.item : nil)
    )
    #expect(try await accounts.token(of: own.token.secret) == (isUsable ? own.token.item : nil))
  }

  private func perform(_ command: String, _ email: String) async throws {
    switch command {
    case "disable": try await accounts.disable(email)
    case "remove": try await accounts.remove(email)
    default: _ = try await accounts.reset(email)
    }
  }

  @Test(arguments: ["disable", "remove", "reset"])
  func `sessions and tokens end at once, and the password fits no more`(command: String)
    async throws
  {
    let (jane, jim) = (
      try await accounts.register("jane@example.org"),
      try await accounts.register("jim@example.org")
    )
    let (own, other) = (try await belongings(of: jane), try await belongings(of: jim))
    try await perform(command, " Jane@example.org")
    try await check(own, isUsable: false)
    try await check(other, isUsable: true)
    #expect(
      ends.value == [AccessEnd(sessions: [own.session.item.id], tokens: [own.token.item.id])]
    )
    await #expect(throws: AccountError.invalidCredentials) {
      try await accounts.logIn("jane@example.org")
    }
    #expect(try await accounts.sessions(of: jane.id).items.isEmpty)
    #expect(try await accounts.tokens(of: jane.id).items.isEmpty)
  }

  @Test(arguments: ["disable", "remove", "reset"])
  func `links end at once`(command: String) async throws {
    try await accounts.register("jane@example.org")
    let link = try await accounts.reset("jane@example.org").secret
    try await perform(command, "jane@example.org")
    await #expect(throws: AccountError.linkUsed) {
      try await accounts.setPassword(by: link, .right, from: .home)
    }
  }

  @Test func `who is enabled again has their password, and nothing else`() async throws {
    let jane = try await accounts.register("jane@example.org")
    let own = try await belongings(of: jane)
    try await accounts.disable("jane@example.org")
    try await accounts.disable("jane@example.org")
    #expect(try await accounts.users().first { $0.id == jane.id }?.isDisabled == true)
    await #expect(throws: AccountError.notFound) {
      try await accounts.makeToken(named: "x", for: jane.id)
    }
    try await accounts.enable("jane@example.org")
    try await check(own, isUsable: false)
    #expect(try await accounts.logIn("jane@example.org").item.user == jane)
  }

  @Test func `a reset link sets a password once, within 24 hours`() async throws {
    let jane = try await accounts.register("jane@example.org")
    let (late, link, new) = (
      try await accounts.reset("jane@example.org"), try await accounts.reset("jane@example.org"),
      Secret("another horse")
    )
    await #expect(throws: AccountError.linkUsed) {
      try await accounts.setPassword(by: late.secret, new, from: .home)
    }
    await #expect(throws: AccountError.invalidPassword) {
      try await accounts.setPassword(by: link.secret, Secret("x"), from: .home)
    }
    time.advance(.seconds(86_399))
    try await accounts.setPassword(by: link.secret, new, from: .home)
    await #expect(throws: AccountError.linkUsed) {
      try await accounts.setPassword(by: link.secret, new, from: .home)
    }
    await #expect(throws: AccountError.invalidCredentials) {
      try await accounts.logIn("jane@example.org")
    }
    let opened = try await accounts.logIn(email: "jane@example.org", password: new, from: .home)
    #expect(opened.item.user == jane)
    let expired = try await accounts.reset("jane@example.org")
    time.advance(.seconds(86_400))
    await #expect(throws: AccountError.linkUsed) {
      try await accounts.setPassword(by: expired.secret, new, from: .home)
    }
  }

  @Test func `a removed account can be made anew, and is another`() async throws {
    let jane = try await accounts.register("jane@example.org")
    let own = try await belongings(of: jane)
    try await accounts.remove("jane@example.org")
    let new = try await accounts.register("jane@example.org")
    #expect(new.id != jane.id)
    try await check(own, isUsable: false)
  }

  @Test func `unknown accounts are told`() async throws {
    for email in ["nobody@example.org", "no email", ""] {
      await #expect(throws: AccountError.notFound) { try await accounts.disable(email) }
      await #expect(throws: AccountError.notFound) { try await accounts.enable(email) }
      await #expect(throws: AccountError.notFound) { try await accounts.remove(email) }
      await #expect(throws: AccountError.notFound) { try await accounts.reset(email) }
    }
  }

  @Test func `a log-in that is under way does not outlast what changes meanwhile`() async throws {
    let folder = try ScratchFolder()
    let accounts = try folder.accounts(cost: .interactive)
    try await accounts.register("jane@example.org")
    let logIn = Task { try await accounts.logIn("jane@example.org") }
    try await waitUntil { accounts.hashing.load.isBusy }
    try await accounts.disable("jane@example.org")
    await #expect(throws: AccountError.invalidCredentials) { try await logIn.value }
  }
}
