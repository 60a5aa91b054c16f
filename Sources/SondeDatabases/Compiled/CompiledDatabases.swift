/// When and where local databases are compiled.
///
/// A compiled database answers tens of millions of addresses per second, without a lock. Compiling
/// takes about a second, or a few for the largest databases; the result is stored for later runs.
public struct CompiledDatabases: Sendable {
  /// The number of addresses from which compiling is worthwhile.
  public static let standardThreshold = 50_000

  let folder: CompiledFolder?
  let threshold: Int

  /// Creates the rules: databases are compiled from `threshold` addresses per run, into the user's
  /// `folder`, or in memory if it is `nil` or not writable; an existing result is always used.
  public init(folder: String?, threshold: Int = standardThreshold) {
    self.folder = folder.map { CompiledFolder($0) }
    self.threshold = threshold
  }

  /// Removes the results for databases that are gone or were replaced.
  public func removeOutdated() { folder?.removeOutdated() }
}
