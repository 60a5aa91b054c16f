extension OutputSpan<UInt8> {
  /// Appends the last `count` digits of a number, at most eight, with leading zeros.
  @inline(__always)
  mutating func append(digits number: UInt64, count: Int) {
    var rest = number
    var word: UInt64 = 0
    for _ in 0..<count {
      let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
      word = word << 8 | 0x30 | digit
      rest = quotient
    }
    append(word: word, count: count)
  }

  mutating func append(decimal number: UInt64) {
    let (high, low) = number.quotientAndRemainder(dividingBy: 100_000_000)
    if high > 0 {
      append(decimal: high)
      append(digits: low, count: 8)
      return
    }
    var count = 1
    var bound: UInt64 = 10
    while low >= bound {
      count &+= 1
      bound &*= 10
    }
    append(digits: low, count: count)
  }

  /// Appends a finite number in its shortest form that parses to the same value.
  ///
  /// Coordinates have few decimals. A decimal with seven places is an integer divided by 10⁷, a
  /// division that rounds correctly (IEEE 754 §5.4.1), so equality proves that it parses to the
  /// same value. Below 10⁷, doubles are so dense that no other such decimal is as near, so it is
  /// the shortest.
  mutating func append(shortest number: Double) {
    let scale = 10_000_000.0
    let scaled = number.magnitude * scale + 0.5
    guard scaled < scale * scale else { return append(described: number) }
    let whole = UInt64(scaled)
    guard Double(whole) / scale == number.magnitude else { return append(described: number) }
    if number.sign == .minus { append(UInt8(ascii: "-")) }
    var (integer, fraction) = whole.quotientAndRemainder(dividingBy: UInt64(scale))
    append(decimal: integer)
    guard fraction > 0 else { return }
    var places = 7
    integer = fraction / 10
    while integer &* 10 == fraction {
      fraction = integer
      integer = fraction / 10
      places &-= 1
    }
    append(UInt8(ascii: "."))
    append(digits: fraction, count: places)
  }

  /// Appends a number as described by the standard library, which is also the shortest form,
  /// without the `.0` of integers.
  private mutating func append(described number: Double) {
    var text = number.description
    if text.hasSuffix(".0") { text.removeLast(2) }
    for byte in text.utf8 { append(byte) }
  }
}
