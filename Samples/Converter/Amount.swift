/// An amount of money as people type it.
struct Amount: Equatable {
  /// The most digits.
  static let mostDigits = 30

  let value: Decimal

  /// The decimal sign that it was typed with; `nil` for a whole number.
  let sign: DecimalSign?

  /// Reads an amount: blanks and `'` group, and so does a decimal sign that occurs more than once, or
  /// before the other one.
  ///
  /// - Returns: `nil` for what is no amount.
  init?(_ text: String) {
    let blanks: [Unicode.Scalar] = [" ", "'", "\u{a0}", "\u{2009}", "\u{202f}"]
    let scalars = text.unicodeScalars.filter { !blanks.contains($0) }
    guard let sign = Self.sign(of: scalars) else { return nil }
    let parts = scalars.split(omittingEmptySubsequences: false) { sign?.scalar == $0 }
    // Signs that are left group.
    let digits = parts.map { $0.filter { DecimalSign($0) == nil } }
    let count = digits.reduce(0) { $0 + $1.count }
    guard (1...Self.mostDigits).contains(count),
      let coefficient = WideInteger(digits.map { String($0) }.joined())
    else { return nil }
    self.sign = sign
    value = Decimal(coefficient: coefficient, scale: digits.count == 2 ? digits[1].count : 0)
  }

  /// Finds the decimal sign.
  ///
  /// - Returns: `nil` where signs contradict each other; within, `nil` where there is none.
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
