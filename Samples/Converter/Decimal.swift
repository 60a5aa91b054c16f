/// An exact, non-negative decimal fraction.
struct Decimal: Sendable, Equatable {
  /// All digits, without the decimal sign.
  let coefficient: WideInteger

  /// The number of digits after the decimal sign.
  let scale: Int

  var isZero: Bool { coefficient.isZero }

  static let one = Decimal(coefficient: .powerOfTen(0), scale: 0)

  init(coefficient: WideInteger, scale: Int) {
    (self.coefficient, self.scale) = (coefficient, scale)
  }

  /// Parses a JSON number (RFC 8259 §6).
  ///
  /// It is `nil` for negative numbers, over 40 digits and exponents beyond 40: no plausible price.
  init?(_ text: String) {
    let parts = text.split(maxSplits: 1, omittingEmptySubsequences: false) { "eE".contains($0) }
    let digits = parts[0].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let fraction = digits.count == 2 ? digits[1] : ""
    let exponent = parts.count == 2 ? Int(parts[1]) : 0
    guard let exponent, (-40...40).contains(exponent), parts[0].count <= 41,
      let coefficient = WideInteger(digits[0] + fraction)
    else { return nil }
    let scale = fraction.count - exponent
    self.init(coefficient: coefficient * .powerOfTen(max(0, -scale)), scale: max(0, scale))
  }
}

extension Decimal {
  /// The quotient of two products with exactly `scale` decimals, rounded once, half to even.
  ///
  /// No divisor is zero.
  static func quotient(_ factors: [Decimal], by divisors: [Decimal], scale: Int) -> Decimal {
    func product(_ decimals: [Decimal], _ exponent: Int) -> WideInteger {
      decimals.reduce(.powerOfTen(exponent)) { $0 * $1.coefficient }
    }
    let dividend = product(factors, divisors.reduce(scale) { $0 + $1.scale })
    let divisor = product(divisors, factors.reduce(0) { $0 + $1.scale })
    var (quotient, remainder) = dividend.divided(by: divisor)
    var rest = divisor
    rest.subtract(remainder)
    if remainder > rest || remainder == rest && quotient.isOdd { quotient.increment() }
    return Decimal(coefficient: quotient, scale: scale)
  }

  /// The digits with a decimal sign before the last ``scale`` of them.
  func text(sign: DecimalSign = .point) -> String {
    let digits = coefficient.text
    guard scale > 0 else { return digits }
    let padded = String(repeating: "0", count: max(0, scale + 1 - digits.count)) + digits
    return padded.dropLast(scale) + sign.rawValue + padded.suffix(scale)
  }
}

/// The sign between the whole part and the fraction.
enum DecimalSign: String, CaseIterable, Sendable {
  case point = "."
  case comma = ","
}
