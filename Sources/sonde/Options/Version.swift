/// What `--version` prints.
enum Version {
  static let number = "0.1.0"

  /// The day of it, as in ISO 8601, which pages of the manual bear.
  static let date = "2026-11-22"
  static let text = "sonde \(number)\n"
}
