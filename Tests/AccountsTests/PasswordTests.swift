import TestSupport
import Testing

@testable import SondeAccounts

@Suite struct PasswordHashTests {
  @Test func `fits its password and no other`() throws {
    let hash = try PasswordHash(.right, .least)
    #expect(hash.text.hasPrefix("$argon2id$v=19$m=8,t=1,p=1$"))
    #expect(try hash.fits(.right))
    for wrong in ["", "correct horse ", "Correct horse", "correct hors", "correct horse\0"] {
      #expect(try !hash.fits(Secret(wrong)))
    }
    #expect(try PasswordHash(.right, .least) != hash)
  }

  @Test func `costs 64 MiB and two passes`() throws {
    #expect(
      try PasswordHash(.right, .interactive).text.hasPrefix("$argon2id$v=19$m=65536,t=2,p=1$")
    )
  }

  @Test func `that of nothing fits nothing, and costs as much`() throws {
    let nothing = PasswordHash.ofNothing(.interactive)
    #expect(nothing.text.hasPrefix("$argon2id$v=19$m=65536,t=2,p=1$"))
    #expect(nothing.text.count == (try PasswordHash(.right, .interactive)).text.count)
    #expect(try !nothing.fits(.right))
    #expect(PasswordHash.ofNothing(.least) != .ofNothing(.least))
  }

  @Test func `what is no hash is told, not taken for a wrong password`() {
    for text in [
      "", "x", "$argon2id$v=19$m=65536,t=2,p=1$", "$argon2i$v=19$m=8,t=1,p=1$c2FsdA$aGFzaA",
    ] {
      #expect(throws: AccountError.self) { try PasswordHash(kept: text).fits(.right) }
    }
  }

  @Test func `a password needs 10 to 1024 bytes`() throws {
    for count in [0, 1, 9, 1025, 65_536] {
      #expect(throws: AccountError.invalidPassword) {
        try check(String(String(repeating: "x y", count: 30_000).prefix(count)))
      }
    }
    for text in [String(repeating: "xy", count: 5), String(repeating: "xy", count: 512), "éèéèé"] {
      try check(text)
    }
  }

  private func check(_ text: String) throws {
    try PasswordHash.check(Secret(text), of: #require(Email("jane.doe.of@example.org")))
  }

  @Test(arguments: [
    "password123", "PassWord123", "xxxxxxxxxx", "1234567890", "34567890123", "0987654321",
    "abcdefghij", "zyxwvutsrq", "qwertyuiop", "QWERTYUIOPA", "mnbvcxzlkj", "qwertzuiop",
    "azertyuiopq", "jane.doe.of@example.org", "JANE.doe.of",
  ])
  func `a password that is guessed first is refused`(text: String) {
    #expect(throws: AccountError.commonPassword) { try check(text) }
  }

  @Test(arguments: ["jane.doe.off", "1234567833", "qwertyuio-", "correct horse", "abcdefghik"])
  func `others are permitted`(text: String) throws {
    try check(text)
  }

  @Test func `the list has a thousand entries, all of them long enough`() {
    #expect(CommonPassword.list.count == 1000)
    #expect(CommonPassword.list.allSatisfy { $0.utf8.count >= 10 && $0 == $0.lowercased() })
  }
}

@Suite struct HashingQueueTests {
  /// A queue whose turn is taken until the gate opens.
  private struct Busy {
    let queue = HashingQueue()
    let gate = Gate()
    let holder: Task<Void, any Error>

    init() async throws {
      holder = Task { [queue, gate] in
        try await queue.perform(rank: 0) { () throws(AccountError) in gate.wait() }
      }
      try await waitUntil { [queue] in queue.load.isBusy }
    }
  }

  @Test(.timeLimit(.minutes(1))) func `hashes in the order of ranks`() async throws {
    let busy = try await Busy()
    let order = Shared<[Int]>([])
    try await withThrowingTaskGroup(of: Void.self) { group in
      for rank in [3, 1, 2, 0] {
        group.addTask {
          try await busy.queue.perform(rank: rank) { () throws(AccountError) in order.append(rank) }
        }
      }
      try await waitUntil { busy.queue.load.waiting >= 4 }
      busy.gate.open()
      try await group.waitForAll()
    }
    #expect(order.value == [0, 1, 2, 3])
  }

  @Test(.timeLimit(.minutes(1))) func `refuses whom it has no room for`() async throws {
    let busy = try await Busy()
    let results = Shared<[AccountError?]>([])
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<20 {
        group.addTask {
          do throws(AccountError) {
            try await busy.queue.perform(rank: 1) { () throws(AccountError) in }
            results.append(nil)
          } catch {
            results.append(error)
          }
        }
      }
      try? await waitUntil { results.value.count >= 4 }
      busy.gate.open()
    }
    #expect(results.value.count { $0 == nil } == 16)
    #expect(results.value.count { $0 == .busy(retryAfter: .seconds(1)) } == 4)
  }

  @Test(.timeLimit(.minutes(1))) func `lets those go who are cancelled while they wait`()
    async throws
  {
    let busy = try await Busy()
    let waiting = Task {
      try await busy.queue.perform(rank: 1) { () throws(AccountError) in Issue.record("hashed") }
    }
    try await waitUntil { busy.queue.load.waiting >= 1 }
    waiting.cancel()
    await #expect(throws: AccountError.cancelled) { try await waiting.value }
    busy.gate.open()
    try await busy.holder.value
    #expect(try await busy.queue.perform(rank: 1) { () throws(AccountError) in 7 } == 7)
  }

  @Test(.timeLimit(.minutes(1))) func `goes on after what throws`() async throws {
    let queue = HashingQueue()
    await #expect(throws: AccountError.notFound) {
      try await queue.perform(rank: 1) { () throws(AccountError) in throw .notFound }
    }
    #expect(try await queue.perform(rank: 1) { () throws(AccountError) in 7 } == 7)
  }
}
