import Glibc
import Store
import System

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

/// The hashes of what lies in the output files of a scan that is resumed.
public struct OutputHashes: Sendable {
  var main = Checksum()
  var rejects = Checksum()
  var missing = Checksum()
}

/// The files of a scan that is resumed, with the hashes of what is in them.
struct WrittenFiles {
  var sinks: OutputSinks
  var hashes = OutputHashes()

  /// Cuts them to what a checkpoint says.
  func cut(to checkpoint: Checkpoint) throws(ResumeError) {
    try sinks.main.cut(to: checkpoint.main)
    try sinks.rejects?.cut(to: checkpoint.rejects)
    try sinks.missing?.cut(to: checkpoint.missing)
  }
}

extension OutputPaths {
  /// Opens the files at the first of some checkpoints that they are long enough for.
  ///
  /// - Parameter checkpoints: The checkpoints, at least one, the newest first.
  /// - Returns: The checkpoint, and the files as they are.
  /// - Throws: ``ResumeError`` for the newest one, when there is none.
  func open(
    atOneOf checkpoints: [Checkpoint]
  ) throws(ResumeError) -> (checkpoint: Checkpoint, files: WrittenFiles) {
    var first: ResumeError?
    for checkpoint in checkpoints {
      // Anything begins with nothing, also a file that has nothing to do with this scan.
      if first != nil, checkpoint.main.length == 0, !isMainEmpty { continue }
      do throws(ResumeError) {
        return (checkpoint, try open(at: checkpoint))
      } catch {
        guard error.isCutShort else { throw first ?? error }
        if first == nil { first = error }
      }
    }
    throw first ?? ResumeError("\(main) has changed since; remove the journal to begin anew")
  }

  private func open(at checkpoint: Checkpoint) throws(ResumeError) -> WrittenFiles {
    let main = try Sink.resuming(main, at: checkpoint.main)
    var files = WrittenFiles(sinks: OutputSinks(main: main.sink))
    files.hashes.main = main.hash
    if let path = rejects {
      let rejects = try Sink.resuming(path, at: checkpoint.rejects)
      (files.sinks.rejects, files.hashes.rejects) = (rejects.sink, rejects.hash)
    }
    if let path = missing {
      let missing = try Sink.resuming(path, at: checkpoint.missing)
      (files.sinks.missing, files.hashes.missing) = (missing.sink, missing.hash)
    }
    return files
  }

  private var isMainEmpty: Bool {
    var status = stat()
    return unsafe stat(main, &status) != 0 || status.st_size == 0
  }
}
