import SondeInputs
public import SondeRecords
import SondeSQLite
import SondeStore
import SondeSystem

/// The files that a resumable scan writes.
public struct OutputPaths: Sendable {
  /// A file of records.
  public struct Place: Sendable {
    /// The path.
    public var path: String
    /// The columns of its table, if it is a database.
    public var columns: [Field]?

    /// Creates an output file.
    public init(_ path: String, columns: [Field]? = nil) {
      (self.path, self.columns) = (path, columns)
    }
  }

  /// The main output.
  public var main: Place
  /// The file of rejects, if there is one.
  public var rejects: Place?
  /// The file of missing addresses, if there is one.
  public var missing: String?
  /// How to wait while another program has locked one of the databases.
  public var waiting: LockedDatabase

  /// Creates the paths of outputs.
  public init(
    main: Place,
    rejects: Place? = nil,
    missing: String? = nil,
    waiting: LockedDatabase = LockedDatabase()
  ) {
    (self.main, self.rejects, self.missing) = (main, rejects, missing)
    self.waiting = waiting
  }
}

/// Sinks for the files of ``OutputPaths``.
public struct OutputSinks: Sendable {
  /// The main output.
  public var main: any RecordSink
  /// The file of rejects, if there is one.
  public var rejects: (any RecordSink)?
  /// The file of missing addresses, if there is one.
  public var missing: (any RecordSink)?

  /// Creates sinks with only the main one.
  public init(main: any RecordSink) { self.main = main }
}

/// The hashes of a resumed scan's output files.
public struct OutputHashes: Sendable {
  var main = Checksum()
  var rejects = Checksum()
  var missing = Checksum()
}

/// An output file of a resumed scan.
struct WrittenFile {
  /// A sink that appends to it.
  let sink: any RecordSink
  /// The hash of its content according to the journal.
  let hash: Checksum
  /// Truncates it to that content.
  let cut: () throws(ResumeError) -> Void
}

/// The output files of a resumed scan, according to a checkpoint.
struct WrittenFiles {
  let main: WrittenFile
  var rejects: WrittenFile?
  var missing: WrittenFile?

  var sinks: OutputSinks {
    var sinks = OutputSinks(main: main.sink)
    (sinks.rejects, sinks.missing) = (rejects?.sink, missing?.sink)
    return sinks
  }

  var hashes: OutputHashes {
    var hashes = OutputHashes()
    hashes.main = main.hash
    if let rejects { hashes.rejects = rejects.hash }
    if let missing { hashes.missing = missing.hash }
    return hashes
  }

  /// Truncates them to the checkpoint's state.
  func cut() throws(ResumeError) {
    for file in [main, rejects, missing].compactMap(\.self) { try file.cut() }
  }
}

extension OutputPaths {
  /// Opens the files at the newest checkpoint for which they are long enough.
  ///
  /// `checkpoints` start with the newest. Throws the error of that one if the files fit none.
  func open(
    atOneOf checkpoints: [Checkpoint]
  ) throws(ResumeError) -> (checkpoint: Checkpoint, files: WrittenFiles) {
    var first: ResumeError?
    for checkpoint in checkpoints {
      // Every file matches a checkpoint without output, even one of another scan.
      if first != nil, checkpoint.main.length == 0, try !main.isEmpty(waiting) { continue }
      do throws(ResumeError) {
        return (checkpoint, try open(at: checkpoint))
      } catch {
        guard error.isCutShort else { throw first ?? error }
        if first == nil { first = error }
      }
    }
    throw first ?? .changed(main.path)
  }

  private func open(at checkpoint: Checkpoint) throws(ResumeError) -> WrittenFiles {
    var files = WrittenFiles(main: try main.resuming(at: checkpoint.main, waiting))
    files.rejects = try rejects?.resuming(at: checkpoint.rejects, waiting)
    if let path = missing { files.missing = try Sink.resuming(path, at: checkpoint.missing) }
    return files
  }
}

extension OutputPaths.Place {
  fileprivate func resuming(
    at mark: OutputMark,
    _ waiting: LockedDatabase
  ) throws(ResumeError) -> WrittenFile {
    guard let columns else { return try Sink.resuming(path, at: mark) }
    return try RecordDatabaseSink.resuming(path, columns: columns, at: mark, waiting: waiting)
  }

  /// Whether its content is consistent with a journal that has written nothing.
  fileprivate func isEmpty(_ waiting: LockedDatabase) throws(ResumeError) -> Bool {
    guard let status = FileStatus(path: path), status.size > 0 else { return true }
    guard columns != nil else { return false }
    do throws(SQLiteError) {
      return try waiting.run(path) { () throws(SQLiteError) in
        try RecordDatabase(path: path).isEmpty()
      }
    } catch {
      throw ResumeError(path, error)
    }
  }
}
