import SondeAccounts
import SondeWeb

/// The requester: a person by a session, or a program by a token.
enum Access: Sendable {
  case session(Session)
  case token(Token)

  /// The user; `nil` without accounts.
  var user: User? {
    switch self {
    case .session(let session): session.user
    case .token(let token): token.user
    }
  }

  /// The owner of the scans and look-ups that it sees.
  var owner: String { user.owner }

  /// Without accounts everybody is an admin.
  var isAdmin: Bool { user.isAdmin }
}

extension Session {
  /// The owner of the scans and look-ups that it sees.
  var owner: String { user.owner }
}

extension User? {
  /// The id; empty without accounts.
  fileprivate var owner: String { self?.id ?? "" }

  fileprivate var isAdmin: Bool { self?.isAdmin ?? true }
}

/// Finds sessions by the tokens in cookies, and programs by theirs.
struct DashboardSessions: SessionStore {
  let accounts: AccountStore

  func session(of token: String) async -> Access? {
    (try? await accounts.session(of: Secret(token))).map(Access.session)
  }

  func session(ofBearer token: String) async -> Access? {
    (try? await accounts.token(of: Secret(token))).map(Access.token)
  }

  func user(of session: Access) -> String? { session.owner }
}
