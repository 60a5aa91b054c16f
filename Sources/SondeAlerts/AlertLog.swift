/// The log of alarms.
package protocol AlertLog: Sendable {
  func error(_ message: String)
  /// Logs a note, unless notes are suppressed.
  func note(_ message: String)
}
