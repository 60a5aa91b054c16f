/// What `--version` prints.
package enum Version {
  package static let number = "0.1.0"

  /// The day of it, as in ISO 8601, which pages of the manual bear.
  package static let date = "2026-11-22"
  package static let text = "sonde \(number)\n"
}
