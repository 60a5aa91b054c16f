import TestSupport
import Testing

@testable import SondeAccounts

/// Clocks that stand still until a test moves them.
final class TestClock: Sendable {
  private let elapsed = Shared(Duration.zero)

  func advance(_ time: Duration) { elapsed.change { $0 += time } }

  var clock: AccountClock {
    AccountClock(
      wall: { [elapsed] in .seconds(1_800_000_000) + elapsed.value },
      steady: { [elapsed] in .seconds(1000) + elapsed.value }
    )
  }
}

extension ScratchFolder {
  /// Accounts in this folder, whose passwords are hashed in no time.
  func accounts(
    _ membership: Membership = .invited,
    clock: TestClock = TestClock(),
    cost: PasswordHash.Cost = .least,
    ends: Shared<[AccessEnd]> = Shared([])
  ) throws -> AccountStore {
    try AccountStore(file("accounts.db"), membership, "sonde_", clock.clock, cost) {
      ends.append($0)
    }
  }
}

extension AccountStore {
  /// Registers the admin by the one-time link.
  @discardableResult
  func registerAdmin() async throws -> User {
    try await register(
      email: "admin@example.org",
      password: .right,
      invitation: makeOneTimeLink().secret,
      from: .home
    )
  }

  /// Registers somebody by an invitation, and the admin where there is none.
  @discardableResult
  func register(_ email: String) async throws -> User {
    if try users().isEmpty { try await registerAdmin() }
    let invitation = try invite().secret
    return try await register(
      email: email,
      password: .right,
      invitation: invitation,
      from: ClientAddress([10, 0, 0, UInt8.random(in: 0...255)])
    )
  }

  /// Logs somebody in with the password of all tests.
  func logIn(_ email: String, endingFormer former: Secret? = nil) async throws -> Issued<Session> {
    try await logIn(email: email, password: .right, from: .home, endingFormer: former)
  }
}

extension Secret {
  /// The password of all tests.
  static let right = Secret("correct horse")
  static let wrong = Secret("incorrect horse")
}

extension ClientAddress {
  static let home = ClientAddress([192, 0, 2, 1])
  static let elsewhere = ClientAddress([198, 51, 100, 1])

  static func numbered(_ number: Int) -> ClientAddress {
    ClientAddress([127, 0, UInt8(number >> 8 & 0xff), UInt8(number & 0xff)])
  }
}
