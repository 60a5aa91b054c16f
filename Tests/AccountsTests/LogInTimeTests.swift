import TestSupport
import Testing

@testable import SondeAccounts

@Suite struct LogInTimeTests {
  /// With hashes that take some milliseconds, so that they outweigh everything else as real ones do.
  @Test(.timeLimit(.minutes(2))) func `time does not tell whether an account exists`() async throws
  {
    let folder = try ScratchFolder()
    let cost = PasswordHash.Cost(passes: 2, memory: 4 << 20)
    let accounts = try folder.accounts(.equals, cost: cost)
    _ = try await accounts.register(email: "jane@example.org", password: .right, from: .home)
    var ratio = 0.0
    // The load of the machine may part them once, not each time.
    for round in 0..<5 {
      var times: [[Duration]] = [[], []]
      for number in 0..<200 {
        let email = number % 2 == 0 ? "jane@example.org" : "nobody@example.org"
        let start = ContinuousClock.now
        await #expect(throws: AccountError.invalidCredentials) {
          let address = ClientAddress.numbered(round * 200 + number / 10)
          _ = try await accounts.logIn(email: email, password: .wrong, from: address)
        }
        times[number % 2].append(.now - start)
      }
      let medians = times.map { $0.sorted()[$0.count / 2] }
      ratio = medians[0] / medians[1]
      if (0.9...1.1).contains(ratio) { return }
    }
    Issue.record("known accounts take \(ratio) of the time of unknown ones")
  }
}
