import SondeSQLite

/// Why a scan cannot be resumed, or begun anew.
public struct ResumeError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The reason, for a person.
  public let description: String

  /// The output's own error, where another process writes it, or the disk has no room to open it.
  public private(set) var outputError: OutputError?

  /// Whether a file is shorter than it was.
  var isCutShort = false

  init(_ description: String) { self.description = description }

  /// A database that cannot be opened.
  init(_ path: String, _ error: SQLiteError, _ advice: String = "") {
    self.init("\(path): \(error.message)\(advice)")
    if error.kind == .full { outputError = OutputError(name: path, error) }
  }

  /// An output that cannot be opened.
  init(_ error: OutputError) {
    self.init("\(error)")
    if error.isBusy || error.isDiskFull { outputError = error }
  }

  /// An output that is not as it was written.
  static func changed(_ name: String, isCutShort: Bool) -> ResumeError {
    var error = ResumeError(
      "\(name) has changed since; remove the journal and the output to begin anew"
    )
    error.isCutShort = isCutShort
    return error
  }
}
