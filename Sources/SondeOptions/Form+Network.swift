import SondeReachability

extension Form where Value == DegradedLimits {
  /// Limits by name, separated by commas, each at most once.
  static let limits = Form(
    placeholder: "LIMITS",
    accepted: "loss=PERCENT%, connect=TIME or both with a comma between, as loss=20%,connect=300ms"
  ) { text throws(ValueProblem) in
    var limits = DegradedLimits()
    for item in text.split(separator: ",", omittingEmptySubsequences: false) {
      let halves = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard halves.count == 2 else { throw .malformed }
      switch trimmed(halves[0]) {
      case "loss" where limits.loss == nil: limits.loss = try share(trimmed(halves[1]))
      case "connect" where limits.connect == nil:
        limits.connect = try Form<Duration>.positiveDuration.read(String(trimmed(halves[1])))
      case "loss", "connect": throw .because("\(quoted(trimmed(halves[0]))) stands there twice")
      default: throw .malformed
      }
    }
    return limits
  }

  /// A share in percent, above 0 and at most 100.
  private static func share(_ text: Substring) throws(ValueProblem) -> Double {
    let digits = text.dropLast()
    guard text.hasSuffix("%"), digits.utf8.allSatisfy({ isDigit($0) || $0 == UInt8(ascii: ".") }),
      let percent = Double(digits)
    else { throw .malformed }
    guard percent > 0, percent <= 100 else {
      throw .because("a loss is above 0 % and at most 100 %")
    }
    return percent / 100
  }
}
