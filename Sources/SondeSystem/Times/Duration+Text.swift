/// Why a text is no duration.
package enum DurationTextError: Error {
  case malformed
  case tooLong
}

extension Duration {
  /// The longest duration accepted, about a hundred years: the sum of several still fits every
  /// clock.
  package static let longestText = "36500d"
  private static let longest = Duration.seconds(36_500 * 86_400)

  /// Parses a number with `ms`, `s`, `m`, `h` or `d`, such as `1.5h`; a bare number is seconds.
  package init(text: String) throws(DurationTextError) {
    let number = text.prefix { $0 == "." || ($0.isASCII && $0.isNumber) }
    guard let unit = Self.attoseconds(of: text[number.endIndex...]) else { throw .malformed }
    let parts = number.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), let fraction = parts.last, !fraction.isEmpty else {
      throw .malformed
    }
    let whole = parts[0].drop { $0 == "0" }
    // Fifteen digits of days still fit 128 bits of attoseconds.
    guard whole.count <= 15 else { throw .tooLong }
    var total = (Int128(whole) ?? 0) * unit
    if parts.count == 2 {
      var scale = unit
      // Digits past the ninth are finer than any timer here.
      for digit in fraction.prefix(9) {
        scale /= 10
        total += Int128(digit.wholeNumberValue ?? 0) * scale
      }
    }
    self = Duration(attoseconds: total)
    guard self <= Self.longest else { throw .tooLong }
  }

  private static func attoseconds(of unit: Substring) -> Int128? {
    let second: Int128 = 1_000_000_000_000_000_000
    return switch unit {
    case "ms": second / 1000
    case "", "s": second
    case "m": second * 60
    case "h": second * 60 * 60
    case "d": second * 24 * 60 * 60
    default: nil
    }
  }
}
