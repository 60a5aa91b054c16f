/// A person with an account.
public struct User: Hashable, Sendable {
  /// 128 random bits in lower-case hexadecimal.
  public let id: String

  /// The email with which they log in.
  public let email: Email

  /// Whether they may invite others.
  public let isAdmin: Bool

  /// Whether they are prevented from logging in.
  public let isDisabled: Bool

  /// When they registered, since 1970 UTC.
  public let createdAt: Duration
}

/// The authorisation of a browser, until it logs out or the session expires.
public struct Session: Hashable, Sendable {
  /// An identifier for listing and ending sessions; it does not grant access.
  public let id: String

  /// The user; `nil` without accounts.
  public let user: User?

  /// When it was opened, since 1970 UTC.
  public let createdAt: Duration

  /// When it expires, since 1970 UTC.
  public let expiresAt: Duration
}

/// The authorisation of a program, until it is revoked.
public struct Token: Hashable, Sendable {
  /// An identifier for listing and revoking tokens; it does not grant access.
  public let id: String

  /// The user's name for it.
  public let name: String

  /// The user; `nil` without accounts.
  public let user: User?

  /// When it was created, since 1970 UTC.
  public let createdAt: Duration
}

/// A text that permits its holder to do one thing once.
public struct OneTimeLink: Hashable, Sendable {
  /// When it expires, since 1970 UTC.
  public let expiresAt: Duration
}

/// A new item and its secret, which cannot be retrieved later.
public struct Issued<Item: Sendable>: Sendable {
  /// The item.
  public let item: Item

  /// The secret that gives access to it.
  public let secret: Secret
}

/// A page of a list, newest first.
public struct Listing<Item: Sendable>: Sendable {
  /// The items.
  public let items: [Item]

  /// The position of the next page; `nil` on the last one.
  public let next: Int64?
}

extension Listing: Equatable where Item: Equatable {}

/// The IDs of sessions and tokens that have ended, whose streams are to be closed.
public struct AccessEnd: Equatable, Sendable {
  /// The ended sessions.
  public var sessions: [String] = []

  /// The ended tokens.
  public var tokens: [String] = []

  /// Whether nothing ended.
  public var isEmpty: Bool { sessions.isEmpty && tokens.isEmpty }
}
