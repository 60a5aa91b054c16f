/// What `--version` prints.
enum Version {
  static let number = "0.1.0"
  static let text = "sonde \(number)\n"
}
