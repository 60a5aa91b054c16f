/// The schema of a program's own database, with its creation and migrations.
public struct VersionedTables: Sendable {
  /// The number in the header of every such database
  /// (https://www.sqlite.org/fileformat.html, 1.3.14).
  private let applicationID: Int64

  /// The statements that create the first version and each migration.
  private let steps: [String]

  /// Creates a schema from the statements that create the first version, and those that migrate
  /// from each version to the next.
  public init(applicationID: Int64, steps: [String]) {
    (self.applicationID, self.steps) = (applicationID, steps)
  }

  /// Creates or migrates the tables of a database; one that is not ours, or of a later version, is
  /// not changed and causes an error of the kind `foreign` or `newer`.
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

  /// The version of a database; 0 if it is empty.
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
