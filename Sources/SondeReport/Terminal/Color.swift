package import SondeOptions

/// Whether to write colors to a stream.
///
/// `auto` means on a terminal, unless `NO_COLOR` is set and not empty (no-color.org) or `TERM` is
/// `dumb`.
package func usesColor(_ choice: When, isTerminal: Bool, environment: [String: String]) -> Bool {
  switch choice {
  case .always: true
  case .never: false
  case .auto:
    isTerminal && environment["NO_COLOR", default: ""].isEmpty
      && environment["TERM"] != "dumb"
  }
}
