/// An amount of money as typed by people.
struct Amount: Equatable {
  static let mostDigits = 30

  let value: Decimal

  /// The decimal sign in the input; `nil` for a whole number.
  let sign: DecimalSign?

  /// Parses an amount; `nil` if the text is not one.
  ///
  /// Blanks and `'` group digits, as does a decimal sign that is repeated or before the other one.
  init?(_ text: String) {
    let blanks: [Unicode.Scalar] = [" ", "'", "\u{a0}", "\u{2009}", "\u{202f}"]
    let scalars = text.unicodeScalars.filter { !blanks.contains($0) }
    guard let sign = Self.sign(of: scalars) else { return nil }
    let parts = scalars.split(omittingEmptySubsequences: false) { sign?.scalar == $0 }
    // The remaining signs group digits.
    let digits = parts.map { $0.filter { DecimalSign($0) == nil } }
    let count = digits.reduce(0) { $0 + $1.count }
    guard (1...Self.mostDigits).contains(count),
      let coefficient = WideInteger(digits.map { String($0) }.joined())
    else { return nil }
    self.sign = sign
    value = Decimal(coefficient: coefficient, scale: digits.count == 2 ? digits[1].count : 0)
  }

  /// Finds the decimal sign; the outer `nil` means contradicting signs, the inner one no sign.
  private static func sign(of scalars: String.UnicodeScalarView) -> DecimalSign?? {
    let signs = scalars.compactMap(DecimalSign.init)
    guard let last = signs.last else { return .some(nil) }
    if signs.count(where: { $0 == last }) == 1 { return last }
    return Set(signs).count == 1 ? .some(nil) : .none
  }
}

extension DecimalSign {
  init?(_ scalar: Unicode.Scalar) { self.init(rawValue: String(scalar)) }

  fileprivate var scalar: Unicode.Scalar { self == .point ? "." : "," }
}
