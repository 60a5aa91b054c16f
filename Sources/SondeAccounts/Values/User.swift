/// A person with an account.
public struct User: Hashable, Sendable {
  /// 128 random bits in lower-case hexadecimal.
  public let id: String

  /// By what they log in.
  public let email: Email

  /// Whether they may invite others.
  public let isAdmin: Bool

  /// Whether they are kept from logging in.
  public let isDisabled: Bool

  /// When they registered, since 1970 UTC.
  public let createdAt: Duration
}

/// A browser that may ask, until it logs out or its time is over.
public struct Session: Hashable, Sendable {
  /// What it is called where sessions are listed and ended; of no use to get in.
  public let id: String

  /// Whose it is; `nil` where there are no accounts.
  public let user: User?

  /// When it was opened, since 1970 UTC.
  public let createdAt: Duration

  /// When it ends by itself, since 1970 UTC.
  public let expiresAt: Duration
}

/// A program that may ask, until it is told that it may not.
public struct Token: Hashable, Sendable {
  /// What it is called where tokens are listed and revoked; of no use to get in.
  public let id: String

  /// What its user calls it.
  public let name: String

  /// Whose it is; `nil` where there are no accounts.
  public let user: User?

  /// When it was made, since 1970 UTC.
  public let createdAt: Duration
}

/// A text that lets its holder do one thing once.
public struct OneTimeLink: Hashable, Sendable {
  /// When it can no longer be used, since 1970 UTC.
  public let expiresAt: Duration
}

/// A thing together with the secret that opens it, which is told this once.
public struct Issued<Item: Sendable>: Sendable {
  /// What was made.
  public let item: Item

  /// What opens it.
  public let secret: Secret
}

/// Some of a list, newest first.
public struct Listing<Item: Sendable>: Sendable {
  /// The things.
  public let items: [Item]

  /// Before which the next page begins; `nil` on the last one.
  public let next: Int64?
}

extension Listing: Equatable where Item: Equatable {}

/// What can no longer be used from now on, by id: the streams that it opened are to be closed.
public struct AccessEnd: Equatable, Sendable {
  /// Sessions that ended.
  public var sessions: [String] = []

  /// Tokens that ended.
  public var tokens: [String] = []

  /// Whether nothing ended.
  public var isEmpty: Bool { sessions.isEmpty && tokens.isEmpty }
}
