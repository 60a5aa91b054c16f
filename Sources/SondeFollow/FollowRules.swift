/// How files are followed.
public struct FollowRules: Sendable {
  /// Whether files that are there when first named are read from their beginning, not their end.
  public var fromStart = false
  /// The longest line in bytes; longer ones are left out.
  public var longestLine = 1 << 20
  /// Whether the beginning of a line that is too long is taken in its place.
  public var cutsLongLines = false
  /// The names under which files were followed before; those have no first time.
  public var known: Set<String> = []
  /// How often patterns are looked at.
  public var patternInterval = Duration.seconds(10)
  /// How long a file that was rotated away may still grow before it is done.
  public var grace = Duration.seconds(3)
  /// After how long names are reported that no file has had.
  public var missingTime = Duration.seconds(5)
  /// How long a file that was read to its end is held, since its writer may not have reopened the log.
  public var holdTime = Duration.seconds(600)

  /// Creates the usual rules.
  public init() {}
}

/// What happened to followed files, other than lines.
public enum FollowNews: Sendable, Equatable {
  /// The rest of a file, from a position on, is gone or compressed.
  case lost(path: String, offset: Int)
  /// A file cannot be read, for this reason.
  case unreadable(path: String, reason: String)
  /// No file has a name, or one that a pattern means, when it is first looked at.
  case missing(name: String)
  /// Files cannot be opened, for too many are open.
  case full(reason: String)
  /// A compressed file is not followed.
  case compressed(path: String)
  /// A file of UTF-16 is not followed.
  case wide(path: String)
}
