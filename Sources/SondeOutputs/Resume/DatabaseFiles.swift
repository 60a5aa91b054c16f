import SondeSystem

/// The database files that a run may read: all, or those that a resumed scan began with.
///
/// Files that were added meanwhile, to a directory of `--database` or by `sonde tables update`, are
/// for the next scan; a file that is gone makes another scan of it, which is not resumed.
public struct DatabaseFiles: Sendable, Equatable {
  /// What stands for no file in a journal, where an earlier version wrote nothing.
  private static let none = "none"

  /// The files as the journal names them; `nil` if all may be read.
  private let begun: String?

  /// Whether the journal, which an earlier version began, does not say what was read without
  /// `--database`.
  public let areUnknown: Bool

  /// Allows all files.
  public init() { (begun, areUnknown) = (nil, false) }

  /// Allows those that the journal at a path names; all if there is no journal, or it names none.
  public init(inJournal path: String) {
    let value = Journal.value(of: "database", in: path)
    areUnknown = value?.isEmpty ?? false
    begun = value.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Whether not all may be read.
  public var areChosen: Bool { begun != nil }

  /// Whether none may be read.
  public var areNone: Bool { begun == Self.none }

  /// Whether a file may be read, by its ``spelling(of:)``.
  public func include(_ spelling: String) -> Bool {
    begun.map { ",\($0),".contains(",\(spelling)," as String) } ?? true
  }

  /// Whether files are those that the scan began with, by their ``spelling(of:)``.
  public func are(_ spelling: String) -> Bool { begun == nil || begun == spelling }

  /// Whether one that the scan began with is gone.
  public var areMissing: Bool {
    begun?.split(separator: ",").contains { $0 != Self.none && FileStatus(path: String($0)) == nil }
      ?? false
  }

  /// Files in one spelling for the journal, which stays when their contents are renewed.
  public static func spelling(of paths: [String]) -> String {
    paths.isEmpty ? none : paths.map(resolvedPath).joined(separator: ",")
  }
}
