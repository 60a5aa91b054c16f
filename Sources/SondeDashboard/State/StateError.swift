import SondeSQLite

/// Why the state of the dashboard cannot be opened, read or written.
public struct StateError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The reason, for people.
  public let description: String

  /// Whether the disk is full.
  public let isDiskFull: Bool

  init(_ description: String, isDiskFull: Bool = false) {
    (self.description, self.isDiskFull) = (description, isDiskFull)
  }

  init(_ path: String, _ error: SQLiteError) {
    self.init("\(path): \(error.message)", isDiskFull: error.kind == .full)
  }
}
