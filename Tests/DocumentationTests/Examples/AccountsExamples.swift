import SondeAccounts
import TestSupport
import Testing

@Suite struct AccountsExamples {
  @Test(.timeLimit(.minutes(1))) func accounts() async throws {
    let folder = try ScratchFolder()
    let path = folder.file("accounts.db")
    // example: AccountStore
    let accounts = try AccountStore(path: path, membership: .invited) { end in
      print("ended: \(end.sessions.count) sessions and \(end.tokens.count) tokens")
    }
    let home = ClientAddress([192, 0, 2, 1])
    let password = Secret("correct horse battery")
    let link = try await accounts.makeOneTimeLink()
    let admin = try await accounts.register(
      email: "Jane@example.org",
      password: password,
      invitation: link.secret,
      from: home
    )
    #expect(admin.isAdmin && admin.email.text == "jane@example.org")

    let opened = try await accounts.logIn(email: "jane@example.org", password: password, from: home)
    let cookie = opened.secret.text
    #expect(try await accounts.session(of: Secret(cookie))?.user == admin)
    await #expect(throws: AccountError.invalidCredentials) {
      try await accounts.logIn(email: "jim@example.org", password: password, from: home)
    }
    try await accounts.endSession(opened.item.id, of: admin.id)
    #expect(try await accounts.session(of: Secret(cookie)) == nil)
    // end
  }
}
