import Glibc
import SondeSQLite
import SondeSystem
import TestSupport
import Testing

@testable import SondeAccounts

@Suite(.timeLimit(.minutes(2))) struct FileTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func refusal(_ path: String) -> String? {
    do throws(AccountError) {
      _ = try AccountStore(path: path, membership: .invited)
      return nil
    } catch {
      return error.description
    }
  }

  /// Sessions, tokens and links, as the wire has them, and passwords.
  private func fill(_ accounts: AccountStore) async throws -> [String] {
    let jane = try await accounts.register("jane@example.org")
    return [
      try await accounts.logIn("jane@example.org").secret.text,
      try await accounts.makeToken(named: "x", for: jane.id).secret.text,
      try await accounts.invite().secret.text,
      try await accounts.reset("admin@example.org").secret.text,
      Secret.right.text,
    ]
  }

  @Test func `everything is there after the next start`() async throws {
    let secrets = try await fill(try folder.accounts())
    let accounts = try folder.accounts()
    #expect(try await accounts.session(of: Secret(secrets[0])) != nil)
    #expect(try await accounts.token(of: Secret(secrets[1])) != nil)
    try await accounts.setPassword(by: Secret(secrets[3]), .right, from: .home)
    #expect(try await accounts.logIn("admin@example.org").item.user?.isAdmin == true)
  }

  @Test func `no secret is in the files, nor anything that opens something`() async throws {
    let accounts = try folder.accounts()
    let secrets = try await fill(accounts)
    // With the log, while they are open.
    #expect(folder.names.contains("accounts.db-wal"))
    let all = try folder.names.map { String(decoding: try folder.bytes($0), as: UTF8.self) }
    for secret in secrets {
      #expect(!all.contains { $0.contains(secret) || $0.contains(secret.dropFirst(6)) })
    }
    // What stands there in place of a secret does not stand in for it.
    let database = try Database(path: folder.file("accounts.db"), .reading, wait: LockWait())
    for table: StaticString in [
      "SELECT hex(secret) FROM sessions", "SELECT lower(hex(secret)) FROM tokens",
      "SELECT lower(hex(secret)) FROM links", "SELECT password FROM users",
    ] {
      let hash = try #require(try database.text(table))
      for text in [hash, hash.lowercased(), "sonde_" + hash] {
        #expect(try await accounts.session(of: Secret(text)) == nil)
        #expect(try await accounts.token(of: Secret(text)) == nil)
        await #expect(throws: AccountError.linkUsed) {
          try await accounts.setPassword(by: Secret(text), .right, from: .home)
        }
      }
    }
  }

  @Test func `the files are the owner's alone`() async throws {
    umask(0)
    let path = folder.file("deep/er/accounts.db")
    let accounts = try AccountStore(path: path, membership: .alone)
    _ = try await accounts.makeOneTimeLink()
    for name in ["", "-wal", "-shm", "-lock"] {
      #expect(FileStatus(path: path + name).map { $0.mode & 0o777 } == 0o600, "\(name)")
    }
    #expect(FileStatus(path: folder.file("deep")).map { $0.mode & 0o777 } == 0o700)
  }

  @Test func `one program has them at a time`() async throws {
    let accounts = try folder.accounts()
    #expect(unsafe symlink("accounts.db", folder.file("link.db")) == 0)
    for name in ["accounts.db", "link.db"] {
      #expect(refusal(folder.file(name))?.hasSuffix("another program uses it") == true)
    }
    _ = try await accounts.users()
  }

  @Test func `what is no database of accounts is refused and left alone`() throws {
    let texts = ["foreign.db", "text.db"].map(folder.file)
    _ = try Descriptor(opening: texts[0], O_RDWR | O_CREAT, mode: 0o640)
    let database = try Database(path: texts[0], .writing, wait: LockWait())
    try database.execute("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
    #expect(refusal(texts[0])?.contains("another program") == true)
    #expect(try database.number("SELECT a FROM t") == 1)
    #expect(FileStatus(path: texts[0]).map { $0.mode & 0o777 } == 0o640)
    let text = try Descriptor(opening: texts[1], O_RDWR | O_CREAT, mode: 0o600)
    let bytes = Array(repeating: UInt8(ascii: "x"), count: 5000)
    #expect(unsafe write(text.number, bytes, bytes.count) == 5000)
    #expect(refusal(texts[1])?.contains("not a database") == true)
    #expect(try folder.bytes("text.db") == bytes)
    for path in [folder.path, "/proc/x/accounts.db"] {
      #expect(refusal(path)?.hasPrefix("/") == true)
    }
  }

  @Test func `a database of a later version is left alone`() throws {
    _ = try folder.accounts()
    let path = folder.file("accounts.db")
    let database = try Database(path: path, .writing, wait: LockWait())
    try database.execute("PRAGMA user_version = 2")
    #expect(
      refusal(path)?.contains("a later version of the program made it (2; this one knows 1)")
        == true
    )
  }

  @Test func `nothing is lost, and no link used twice, when the process is killed`() async throws {
    let probe = try ProbeProcess("AccountsProbe", arguments: [folder.file("accounts.db")])
    var lines: [[Substring]] = []
    for _ in 0..<200 { lines.append(try #require(probe.nextLine()).split(separator: " ")) }
    probe.kill()
    while let line = probe.nextLine() { lines.append(line.split(separator: " ")) }
    let accounts = try AccountStore(path: folder.file("accounts.db"), membership: .alone)
    let sessions = lines.filter { $0[0] == "session" }
    for line in sessions {
      #expect(try await accounts.session(of: Secret(String(line[1]))) != nil)
    }
    for (number, line) in lines.filter({ $0[0] == "link" }).prefix(sessions.count).enumerated() {
      await #expect(throws: AccountError.linkUsed) {
        try await accounts.openSession(by: Secret(String(line[1])), from: .numbered(number))
      }
    }
  }

  @Test func `many use them at once`() async throws {
    let accounts = try folder.accounts(.alone)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<20 {
        group.addTask {
          for _ in 0..<20 {
            let link = try await accounts.makeOneTimeLink().secret
            let opened = try await accounts.openSession(by: link, from: .home)
            #expect(try await accounts.session(of: opened.secret) == opened.item)
            if number % 2 == 0 { try await accounts.endSession(of: opened.secret) }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await accounts.sessions(of: nil, limit: 500).items.count == 200)
  }
}
