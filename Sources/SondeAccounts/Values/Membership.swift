/// Who is let in.
public enum Membership: Sendable {
  /// There are no accounts: a one-time link opens a session of nobody in particular.
  case alone

  /// Those who were invited register; the first account is the admin's, by the one-time link.
  case invited

  /// The same, but once there is an admin everybody may register.
  case open

  /// Everybody may register, and nobody is an admin.
  case equals

  /// Whether there are accounts.
  var hasAccounts: Bool { self != .alone }
}
