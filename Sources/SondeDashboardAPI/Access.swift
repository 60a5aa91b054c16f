import SondeAccounts
import SondeWeb

/// Who asks: a person by a session, or a program by a token.
enum Access: Sendable {
  case session(Session)
  case token(Token)

  /// Whose it is; `nil` where there are no accounts.
  var user: User? {
    switch self {
    case .session(let session): session.user
    case .token(let token): token.user
    }
  }

  /// Whose scans and look-ups it sees.
  var owner: String { user.owner }

  /// Whether it may do what is the admin's; without accounts everybody may.
  var isAdmin: Bool { user.isAdmin }
}

extension Session {
  /// Whose scans and look-ups it sees.
  var owner: String { user.owner }
}

extension User? {
  /// The id; without accounts there is but one user, without a name.
  fileprivate var owner: String { self?.id ?? "" }

  fileprivate var isAdmin: Bool { self?.isAdmin ?? true }
}

/// Knows the sessions by the cookies' tokens, and programs by theirs.
struct DashboardSessions: SessionStore {
  let accounts: AccountStore

  func session(of token: String) async -> Access? {
    (try? await accounts.session(of: Secret(token))).map(Access.session)
  }

  func session(ofBearer token: String) async -> Access? {
    (try? await accounts.token(of: Secret(token))).map(Access.token)
  }
}
