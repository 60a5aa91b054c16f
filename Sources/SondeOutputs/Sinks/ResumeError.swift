import SondeSQLite

/// The reason why a scan cannot be resumed or started again.
public struct ResumeError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The reason, in plain words.
  public let description: String

  /// The output's own error if another process is writing it, or the disk is full.
  public private(set) var outputError: OutputError?

  /// Whether a file is shorter than before.
  var isCutShort = false

  init(_ description: String) { self.description = description }

  init(_ path: String, _ error: SQLiteError, _ advice: String = "") {
    self.init("\(path): \(error.message)\(advice)")
    if error.kind == .full { outputError = OutputError(name: path, error) }
  }

  init(_ error: OutputError) {
    self.init("\(error)")
    if error.isBusy || error.isDiskFull { outputError = error }
  }

  /// The error of a file that has changed other than by growing at its end.
  static func changed(
    _ name: String,
    isNew: Bool = false,
    isCutShort: Bool = false
  ) -> ResumeError {
    let change = isNew ? "is only now there" : "has changed since"
    var error = ResumeError("\(name) \(change); remove the journal and the output to begin anew")
    error.isCutShort = isCutShort
    return error
  }
}
