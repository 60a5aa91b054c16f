import TestSupport
import Testing

@testable import SondeAccounts

@Suite(.timeLimit(.minutes(2))) struct RegistrationTests {
  private let folder: ScratchFolder
  private let time = TestClock()

  init() throws { folder = try ScratchFolder() }

  private func register(
    _ accounts: AccountStore,
    _ email: String,
    _ invitation: Secret? = nil,
    password: Secret = .right,
    from address: ClientAddress = .home
  ) async -> AccountError? {
    do throws(AccountError) {
      _ = try await accounts.register(
        email: email,
        password: password,
        invitation: invitation,
        from: address
      )
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [Membership.invited, .open])
  func `the first account is the admin's, by the one-time link alone`(
    membership: Membership
  ) async throws {
    let accounts = try folder.accounts(membership, clock: time)
    #expect(await register(accounts, "a@b") == .invitationNeeded)
    #expect(await register(accounts, "a@b", Secret("x")) == .linkUsed)
    await #expect(throws: AccountError.noAdmin) { try await accounts.invite() }
    let (link, other) = (try await accounts.makeOneTimeLink(), try await accounts.makeOneTimeLink())
    #expect(link.secret.text != other.secret.text)
    // A failed try does not use it up.
    #expect(await register(accounts, "no email", link.secret) == .invalidEmail)
    #expect(await register(accounts, "a@b", link.secret, password: Secret("x")) == .invalidPassword)
    let admin = try await accounts.register(
      email: "A@b",
      password: .right,
      invitation: link.secret,
      from: .home
    )
    #expect(admin.isAdmin && admin.email == Email("a@b"))
    #expect(admin.id.wholeMatch(of: /[0-9a-f]{32}/) != nil)
    for used in [link.secret, other.secret] {
      #expect(await register(accounts, "c@d", used) == .linkUsed)
    }
    await #expect(throws: AccountError.adminExists) { try await accounts.makeOneTimeLink() }
    #expect(await register(accounts, "c@d") == (membership == .open ? nil : .invitationNeeded))
    #expect(try await accounts.users().filter(\.isAdmin) == [admin])
  }

  @Test func `the link of the admin is over after 10 minutes`() async throws {
    let accounts = try folder.accounts(clock: time)
    let link = try await accounts.makeOneTimeLink()
    time.advance(.seconds(600))
    #expect(await register(accounts, "a@b", link.secret) == .linkUsed)
  }

  @Test func `an invitation lets one person in within 7 days`() async throws {
    let accounts = try folder.accounts(clock: time)
    let admin = try await accounts.registerAdmin()
    let invitation = try await accounts.invite(by: admin.id)
    #expect(await register(accounts, "admin@example.org", invitation.secret) == .userExists)
    time.advance(.seconds(7 * 86_400 - 1))
    #expect(await register(accounts, "jane@example.org", invitation.secret) == nil)
    #expect(await register(accounts, "jim@example.org", invitation.secret) == .linkUsed)
    #expect(try await accounts.users().map(\.isAdmin) == [true, false])
    let late = try await accounts.invite(by: admin.id)
    time.advance(.seconds(7 * 86_400))
    #expect(await register(accounts, "jim@example.org", late.secret) == .linkUsed)
  }

  @Test func `of many who come with one invitation at once, one gets in`() async throws {
    let accounts = try folder.accounts(clock: time)
    try await accounts.registerAdmin()
    let invitation = try await accounts.invite().secret
    let errors = await withTaskGroup(of: AccountError?.self) { group in
      for number in 0..<12 {
        group.addTask {
          await register(accounts, "jane\(number)@b", invitation, from: .numbered(number))
        }
      }
      return await group.reduce(into: [AccountError?]()) { $0.append($1) }
    }
    #expect(errors.count { $0 == nil } == 1)
    #expect(errors.count { $0 == .linkUsed } == 11)
    #expect(try await accounts.users().count == 2)
  }

  @Test func `of many who register one email at once, one gets it`() async throws {
    let accounts = try folder.accounts(.equals, clock: time)
    let errors = await withTaskGroup(of: AccountError?.self) { group in
      for number in 0..<12 {
        group.addTask { await register(accounts, "jane@b", from: .numbered(number)) }
      }
      return await group.reduce(into: [AccountError?]()) { $0.append($1) }
    }
    #expect(errors.count { $0 == nil } == 1)
    #expect(errors.count { $0 == .userExists } == 11)
  }

  @Test func `an admin alone invites, and their invitations end with them`() async throws {
    let accounts = try folder.accounts(clock: time)
    let jane = try await accounts.register("jane@example.org")
    for nobody in [jane.id, "x", ""] {
      await #expect(throws: AccountError.forbidden) { try await accounts.invite(by: nobody) }
    }
    let admin = try #require(try await accounts.users().first(where: \.isAdmin))
    let invitation = try await accounts.invite(by: admin.id)
    try await accounts.disable("admin@example.org")
    await #expect(throws: AccountError.forbidden) { try await accounts.invite(by: admin.id) }
    #expect(await register(accounts, "jim@example.org", invitation.secret) == .linkUsed)
    // Without an admin who can get in, whoever runs the server makes another.
    let link = try await accounts.makeOneTimeLink()
    #expect(await register(accounts, "boss@example.org", link.secret) == nil)
    try await accounts.enable("admin@example.org")
    #expect(try await accounts.users().count(where: \.isAdmin) == 2)
  }

  @Test func `links are of no use for anything else`() async throws {
    let accounts = try folder.accounts(clock: time)
    let jane = try await accounts.register("jane@example.org")
    let (invitation, reset) = (
      try await accounts.invite().secret, try await accounts.reset("jane@example.org").secret
    )
    #expect(await register(accounts, "jim@example.org", reset) == .linkUsed)
    await #expect(throws: AccountError.linkUsed) {
      try await accounts.setPassword(by: invitation, .right, from: .home)
    }
    await #expect(throws: AccountError.linkUsed) {
      try await accounts.openSession(by: invitation, from: .home)
    }
    for secret in [invitation, reset] {
      #expect(try await accounts.session(of: secret) == nil)
      #expect(try await accounts.token(of: secret) == nil)
    }
    #expect(!jane.isAdmin)
  }

  @Test func `where all are equals, everybody registers and nobody is an admin`() async throws {
    let accounts = try folder.accounts(.equals, clock: time)
    #expect(await register(accounts, "a@b") == nil)
    #expect(await register(accounts, "A@B ") == .userExists)
    #expect(try await accounts.users().map(\.isAdmin) == [false])
    await #expect(throws: AccountError.forbidden) { try await accounts.invite() }
    await #expect(throws: AccountError.forbidden) { try await accounts.makeOneTimeLink() }
  }

  @Test func `5 register an hour from one address`() async throws {
    let accounts = try folder.accounts(.equals, clock: time)
    for number in 0..<5 { #expect(await register(accounts, "a\(number)@b") == nil) }
    #expect(await register(accounts, "a0@b") == .userExists)
    #expect(await register(accounts, "a5@b") == .tooSoon(retryAfter: .seconds(3600)))
    #expect(await register(accounts, "a5@b", from: .elsewhere) == nil)
    time.advance(.seconds(3600))
    #expect(await register(accounts, "a6@b") == nil)
  }
}
