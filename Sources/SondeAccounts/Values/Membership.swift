/// Who may register.
public enum Membership: Sendable {
  /// There are no accounts: a one-time link opens a session without a user.
  case alone

  /// Registration requires an invitation; the first account, by the one-time link, is the admin's.
  case invited

  /// Like `invited`, but once there is an admin, anyone may register.
  case open

  /// Anyone may register, and there is no admin.
  case equals

  var hasAccounts: Bool { self != .alone }
}
