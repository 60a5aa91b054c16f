extension Form where Value == Duration {
  private static var accepted: String {
    "a number with ms, s, m, h or d, such as 500ms or 1.5h (a bare number is seconds)"
  }

  /// A duration of zero or more.
  static let duration = Form(placeholder: "TIME", accepted: accepted) {
    text throws(ValueProblem) in try readDuration(text)
  }

  /// How long answers are kept.
  static let keptTime = Form(placeholder: "TIME", accepted: accepted) { text throws(ValueProblem) in
    let duration = try readDuration(text)
    guard duration <= .seconds(90 * 86_400) else { throw .because("it is longer than 90d") }
    return duration
  }

  static let positiveDuration = Form(placeholder: "TIME", accepted: accepted) {
    text throws(ValueProblem) in
    let duration = try readDuration(text)
    guard duration > .zero else { throw .because("it must be above zero") }
    return duration
  }
}

extension Form where Value == OfflineTimeout {
  static let offlineTimeout = Form(
    placeholder: Form<Duration>.duration.placeholder,
    accepted: Form<Duration>.duration.accepted + ", or forever",
    completion: .words(["forever"])
  ) { text throws(ValueProblem) in
    text == "forever" ? .forever : .after(try readDuration(text))
  }
}

/// The longest duration accepted, about a hundred years: the sum of several still fits every clock.
private let longest = (text: "36500d", duration: Duration.seconds(36_500 * 86_400))

private func readDuration(_ text: String) throws(ValueProblem) -> Duration {
  let number = text.prefix { $0 == "." || ($0.isASCII && $0.isNumber) }
  guard let unit = attoseconds(of: text[number.endIndex...]) else { throw .malformed }
  let parts = number.split(separator: ".", omittingEmptySubsequences: false)
  guard (1...2).contains(parts.count), let fraction = parts.last, !fraction.isEmpty else {
    throw .malformed
  }
  let whole = parts[0].drop { $0 == "0" }
  // Fifteen digits of days still fit 128 bits of attoseconds.
  guard whole.count <= 15 else { throw tooLong }
  var total = (Int128(whole) ?? 0) * unit
  if parts.count == 2 {
    var scale = unit
    // Digits past the ninth are finer than any timer here.
    for digit in fraction.prefix(9) {
      scale /= 10
      total += Int128(digit.wholeNumberValue ?? 0) * scale
    }
  }
  let duration = Duration(attoseconds: total)
  guard duration <= longest.duration else { throw tooLong }
  return duration
}

private var tooLong: ValueProblem { .because("it is longer than \(longest.text)") }

private func attoseconds(of unit: Substring) -> Int128? {
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
