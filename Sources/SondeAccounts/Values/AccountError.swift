import SondeSQLite

/// The reason for a refusal.
///
/// The description is plain text without any secret or email.
public enum AccountError: Error, Equatable, Sendable {
  /// No enabled account has this email and this password.
  case invalidCredentials
  /// An account with this email exists.
  case userExists
  /// The email is malformed.
  case invalidEmail
  /// A new password has fewer than 10 or more than 1024 bytes.
  case invalidPassword
  /// A new password is among the first that are guessed.
  case commonPassword
  /// A name is empty, longer than 200 characters, or has control characters.
  case invalidName
  /// The link was used, has expired, or never existed.
  case linkUsed
  /// Registration requires an invitation.
  case invitationNeeded
  /// Only an admin may do this.
  case forbidden
  /// There is no admin yet; the one-time link registers one.
  case noAdmin
  /// There is an admin, who can invite others.
  case adminExists
  /// The account, session or token does not exist.
  case notFound
  /// The limit is reached; one must be removed first.
  case tooMany
  /// Too many attempts failed, or too many succeeded; the next one is refused until the time is
  /// over.
  case tooSoon(retryAfter: Duration)
  /// Too many passwords are waiting to be hashed.
  case busy(retryAfter: Duration)
  /// The task was cancelled while it waited.
  case cancelled
  /// The database cannot be opened, read or written.
  case storage(reason: String, isDiskFull: Bool)

  init(_ path: String, _ error: SQLiteError) {
    self = .storage(reason: "\(path): \(error.message)", isDiskFull: error.kind == .full)
  }
}

extension AccountError: CustomStringConvertible {
  /// The reason, as shown in a form.
  public var description: String {
    switch self {
    case .invalidCredentials: "Invalid credentials"
    case .userExists: "User Already Exists"
    case .invalidEmail: "No valid email"
    case .invalidPassword: "Password needs 10 to 1024 bytes"
    case .commonPassword: "Password is too common"
    case .invalidName: "Name needs 1 to 200 characters, none of them a control character"
    case .linkUsed: "This link was used or has expired"
    case .invitationNeeded: "An invitation is needed"
    case .forbidden: "Only an admin may do this"
    case .noAdmin: "There is no admin yet, who registers by the one-time link"
    case .adminExists: "There is an admin, who can invite others"
    case .notFound: "Not found"
    case .tooMany: "Too many: remove one first"
    case .tooSoon(let wait): "Too many tries: try again in \(wait.components.seconds) s"
    case .busy: "Too many log in at the moment: try again"
    case .cancelled: "Cancelled"
    case .storage(let reason, _): reason
    }
  }
}
