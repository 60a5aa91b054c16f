/// Where and when local databases are compiled into tables.
///
/// A table answers tens of millions of addresses a second, without a lock, and is made in about a
/// second, or a few for the largest databases; it is kept for the next run.
public struct LocalTables: Sendable {
  /// Addresses that are worth making a table.
  public static let standardThreshold = 50_000

  let folder: TableFolder?
  let threshold: Int

  /// Names the places of tables.
  ///
  /// - Parameters:
  ///   - folder: The folder of the user's in which they are kept; where it is `nil` or cannot be
  ///     written, a table is made in memory.
  ///   - threshold: Addresses in one run for which a table is made; one that is there is used for
  ///     the first.
  public init(folder: String?, threshold: Int = standardThreshold) {
    self.folder = folder.map { TableFolder($0) }
    self.threshold = threshold
  }
}
