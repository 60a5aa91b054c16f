/// When and where local databases are compiled.
///
/// A compiled database answers tens of millions of addresses per second, without a lock. Compiling
/// takes about a second, or a few for the largest databases; the result is stored for later runs.
public struct CompiledDatabases: Sendable {
  /// The number of addresses from which compiling is worthwhile.
  public static let standardThreshold = 50_000

  let folder: CompiledFolder?
  let threshold: Int

  /// Creates the rules for compiling.
  ///
  /// - Parameters:
  ///   - folder: The user's directory for compiled databases; if it is `nil` or not writable, they
  ///     are in memory.
  ///   - threshold: The number of addresses per run from which a database is compiled; an existing
  ///     result is always used.
  public init(folder: String?, threshold: Int = standardThreshold) {
    self.folder = folder.map { CompiledFolder($0) }
    self.threshold = threshold
  }
}
