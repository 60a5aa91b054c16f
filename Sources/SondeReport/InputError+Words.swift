import Glibc
import SondeAddresses
package import SondeInputs

extension InputError {
  package var words: String {
    let hint = code == ENOENT && name == "help" ? "; did you mean --help?" : ""
    return "\(name.isEmpty ? "''" : name): \(reason)\(hint)"
  }

  /// The message for the error; for a missing file, also why its name is not an address.
  ///
  /// `isFile`: whether the input could only be a file.
  package func explained(isFile: Bool = false) -> String {
    let failure = words
    guard code == ENOENT, name.contains(where: \.isNumber),
      !name.contains("/") || name.contains(":")
    else { return failure }
    var text = name
    switch text.withUTF8({ unsafe ListItem.parse(operand: $0.span) }) {
    case .invalid where isFile: return failure
    case .invalid(let fault): return "\(failure); and as an address: \(fault.message)"
    case .address: return "\(failure); to look an address up: sonde lookup \(name)"
    case .range: return "\(failure); to look addresses up: sonde scan \(name)"
    case .nothing: return failure
    }
  }
}
