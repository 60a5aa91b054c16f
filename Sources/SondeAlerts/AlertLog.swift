/// Where alarms say what went wrong.
package protocol AlertLog: Sendable {
  /// Says what went wrong.
  func error(_ message: String)
  /// Says what the user should know, unless that is unwanted.
  func note(_ message: String)
}
