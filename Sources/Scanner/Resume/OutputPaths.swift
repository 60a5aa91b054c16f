import Glibc
import Store

/// The files that a resumable scan writes.
public struct OutputPaths: Sendable {
  /// The main output.
  public var main: String
  /// The file of rejects, if there is one.
  public var rejects: String?
  /// The file of missing addresses, if there is one.
  public var missing: String?

  /// Names the files.
  public init(main: String, rejects: String?, missing: String?) {
    self.main = main
    self.rejects = rejects
    self.missing = missing
  }
}

/// Sinks for the files of ``OutputPaths``.
public struct OutputSinks: Sendable {
  /// The main output.
  public var main: Sink
  /// The file of rejects, if there is one.
  public var rejects: Sink?
  /// The file of missing addresses, if there is one.
  public var missing: Sink?

  /// Makes sinks with nothing but the main one.
  public init(main: Sink) { self.main = main }
}

/// The files of a scan that is resumed, with the hashes of what is in them.
struct WrittenFiles {
  var sinks: OutputSinks
  var hashes = OutputHashes()

  /// Cuts them to what an entry says.
  func cut(to entry: JournalEntry) throws(ResumeError) {
    try sinks.main.cut(to: entry.main)
    try sinks.rejects?.cut(to: entry.rejects)
    try sinks.missing?.cut(to: entry.missing)
  }
}

extension OutputPaths {
  /// Opens the files at the first of some entries that they are long enough for.
  ///
  /// - Parameter entries: The entries, at least one, the newest first.
  /// - Returns: The entry, and the files as they are.
  /// - Throws: ``ResumeError`` for the newest entry, when there is none.
  func open(
    atOneOf entries: [JournalEntry]
  ) throws(ResumeError) -> (entry: JournalEntry, files: WrittenFiles) {
    var first: ResumeError?
    for entry in entries {
      // Anything begins with nothing, also a file that has nothing to do with this scan.
      if first != nil, entry.main.length == 0, !isMainEmpty { continue }
      do throws(ResumeError) {
        return (entry, try open(at: entry))
      } catch {
        guard error.isCutShort else { throw first ?? error }
        if first == nil { first = error }
      }
    }
    throw first ?? ResumeError("\(main) has changed since; remove the journal to begin anew")
  }

  private func open(at entry: JournalEntry) throws(ResumeError) -> WrittenFiles {
    let main = try Sink.resuming(main, at: entry.main)
    var files = WrittenFiles(sinks: OutputSinks(main: main.sink))
    files.hashes.main = main.hash
    if let path = rejects {
      let rejects = try Sink.resuming(path, at: entry.rejects)
      (files.sinks.rejects, files.hashes.rejects) = (rejects.sink, rejects.hash)
    }
    if let path = missing {
      let missing = try Sink.resuming(path, at: entry.missing)
      (files.sinks.missing, files.hashes.missing) = (missing.sink, missing.hash)
    }
    return files
  }

  private var isMainEmpty: Bool {
    var status = stat()
    return unsafe stat(main, &status) != 0 || status.st_size == 0
  }
}
