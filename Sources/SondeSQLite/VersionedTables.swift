/// The tables of a program's own database, which it makes, and brings from earlier versions to its own.
public struct VersionedTables: Sendable {
  /// The number in the header of every such database
  /// (https://www.sqlite.org/fileformat.html, 1.3.14).
  private let applicationID: Int64

  /// What makes the first version, and then each of the one before.
  private let steps: [String]

  /// Describes tables.
  ///
  /// - Parameters:
  ///   - applicationID: The number that tells such a database from those of others.
  ///   - steps: The statements that make the first version in an empty database, and then each version
  ///     of the one before.
  public init(applicationID: Int64, steps: [String]) {
    (self.applicationID, self.steps) = (applicationID, steps)
  }

  /// Makes sure that a database has the tables of the last version; one that is not ours, or that a
  /// later program made, is left as it is.
  ///
  /// - Throws: ``SQLiteError``: of the kind `foreign` or `newer` for such a one.
  public func prepare(_ database: Database) throws(SQLiteError) {
    let found = try version(of: database)
    guard found < steps.count else { return }
    try database.execute(
      """
      BEGIN IMMEDIATE;
      \(steps[found...].joined(separator: "\n"))
      PRAGMA application_id = \(applicationID);
      PRAGMA user_version = \(steps.count);
      COMMIT;
      """
    )
  }

  /// The version of a database; 0 where it is empty.
  private func version(of database: Database) throws(SQLiteError) -> Int {
    let id = try database.number("PRAGMA application_id")
    if id == 0, try database.number("SELECT count(*) FROM sqlite_schema") == 0 { return 0 }
    guard id == applicationID, let version = try database.number("PRAGMA user_version"), version > 0
    else { throw SQLiteError(.foreign, "it is a database of another program") }
    guard version <= steps.count else {
      throw SQLiteError(
        .newer,
        "a later version of the program made it (\(version); this one knows \(steps.count))"
      )
    }
    return Int(version)
  }
}
