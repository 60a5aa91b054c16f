/// A share of hits, such as 99.5 %, as an exact decimal fraction.
public struct Share: Hashable, Sendable {
  /// The digits of the percentage without its point.
  let digits: UInt64
  /// What ``digits`` are parts of: 100 and a zero for each decimal.
  let whole: UInt64

  /// The greatest number of decimals, which 64 bits hold.
  static let mostDecimals = 15

  /// A number of thousandths, at most 1,000, as the shortest text for it is read.
  init(thousandths: UInt64) {
    let areHundredths = thousandths.isMultiple(of: 10)
    (digits, whole) = areHundredths ? (thousandths / 10, 100) : (thousandths, 1000)
  }

  /// Reads a percentage from 0 to 100 with its sign, such as `95%` or `0.1%`; `nil` for anything
  /// else, and for more than 15 decimals.
  public init?(_ text: String) {
    guard text.hasSuffix("%") else { return nil }
    let parts = text.dropLast().split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, let integer = parts.first, !integer.isEmpty, integer.count <= 3 else {
      return nil
    }
    let decimals = parts.count == 2 ? parts[1] : ""
    guard parts.count == 1 || !decimals.isEmpty, decimals.count <= Self.mostDecimals,
      (integer + decimals).utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      ),
      let digits = UInt64(integer + decimals)
    else { return nil }
    self.digits = digits
    whole = decimals.utf8.reduce(100) { value, _ in value * 10 }
    guard digits <= whole else { return nil }
  }

  /// The fewest hits that are at least this share of `hits`.
  public func atLeast(of hits: UInt64) -> UInt64 {
    let (parts, rest) = scaled(hits)
    return parts + (rest > 0 ? 1 : 0)
  }

  /// The most hits that are at most this share of `hits`.
  public func atMost(of hits: UInt64) -> UInt64 { scaled(hits).parts }

  private func scaled(_ hits: UInt64) -> (parts: UInt64, rest: UInt128) {
    let (quotient, rest) = (UInt128(hits) * UInt128(digits)).quotientAndRemainder(
      dividingBy: UInt128(whole)
    )
    return (UInt64(quotient), rest)
  }
}
