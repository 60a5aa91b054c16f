/// The version that `--version` prints.
package enum Version {
  package static let number = "0.1.0"

  /// The release date in ISO 8601, as shown on manual pages.
  package static let date = "2026-11-22"
  package static let text = "sonde \(number)\n"
}
