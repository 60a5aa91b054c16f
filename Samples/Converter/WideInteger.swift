/// A non-negative integer of any size, with schoolbook arithmetic.
struct WideInteger: Sendable, Equatable {
  /// The most significant digit first, without leading zeros.
  private var digits: [UInt8]

  /// Parses decimal digits; `nil` for anything else.
  init?(_ text: some StringProtocol) {
    let digits = text.utf8.map { $0 &- UInt8(ascii: "0") }
    guard digits.allSatisfy({ $0 < 10 }) else { return nil }
    self.init(digits)
  }

  private init(_ digits: [UInt8]) { self.digits = Array(digits.drop { $0 == 0 }) }

  static func powerOfTen(_ exponent: Int) -> WideInteger {
    WideInteger([1] + [UInt8](repeating: 0, count: exponent))
  }

  var isZero: Bool { digits.isEmpty }
  var isOdd: Bool { (digits.last ?? 0) & 1 == 1 }

  var text: String {
    isZero ? "0" : String(decoding: digits.map { $0 + UInt8(ascii: "0") }, as: UTF8.self)
  }

  mutating func increment() {
    let nines = digits.reversed().prefix { $0 == 9 }.count
    for place in digits.indices.suffix(nines) { digits[place] = 0 }
    if nines == digits.count {
      digits.insert(1, at: 0)
    } else {
      digits[digits.count - nines - 1] += 1
    }
  }

  static func * (left: WideInteger, right: WideInteger) -> WideInteger {
    var digits = [UInt8](repeating: 0, count: left.digits.count + right.digits.count)
    for (high, factor) in left.digits.enumerated().reversed() {
      var carry: UInt8 = 0
      for (low, other) in right.digits.enumerated().reversed() {
        carry += digits[high + low + 1] + factor * other
        digits[high + low + 1] = carry % 10
        carry /= 10
      }
      digits[high] = carry
    }
    return WideInteger(digits)
  }

  /// The divisor must not be zero.
  func divided(by divisor: WideInteger) -> (quotient: WideInteger, remainder: WideInteger) {
    var (quotient, remainder) = ([UInt8](), WideInteger([]))
    for digit in digits {
      if digit > 0 || !remainder.isZero { remainder.digits.append(digit) }
      quotient.append(0)
      while remainder >= divisor {
        remainder.subtract(divisor)
        quotient[quotient.count - 1] += 1
      }
    }
    return (WideInteger(quotient), remainder)
  }

  /// The other number must not be larger.
  mutating func subtract(_ other: WideInteger) {
    var borrow: UInt8 = 0
    for offset in digits.indices.map({ $0 + 1 }) {
      let place = digits.count - offset
      let lower =
        borrow + (offset > other.digits.count ? 0 : other.digits[other.digits.count - offset])
      borrow = digits[place] < lower ? 1 : 0
      digits[place] = digits[place] + 10 * borrow - lower
    }
    self = WideInteger(digits)
  }
}

extension WideInteger: Comparable {
  static func < (left: WideInteger, right: WideInteger) -> Bool {
    guard left.digits.count == right.digits.count else {
      return left.digits.count < right.digits.count
    }
    return left.digits.lexicographicallyPrecedes(right.digits)
  }
}
