import Testing

@testable import converter

@Suite struct AmountTests {
  private static let thirty = String(repeating: "9", count: 30)

  private static let amounts: [(String, String, DecimalSign?)] = [
    ("100", "100.00", nil), ("0", "0.00", nil), (",5", "0.50", .comma), (".5", "0.50", .point),
    ("5.", "5.00", .point), ("5,", "5.00", .comma), ("1.5", "1.50", .point),
    ("1,234", "1.23", .comma), ("1.234,5", "1234.50", .comma), ("1,234.5", "1234.50", .point),
    ("1.234.567,89", "1234567.89", .comma), ("1,234,567.89", "1234567.89", .point),
    ("1,234,567", "1234567.00", nil), ("1.234.567", "1234567.00", nil), ("1,,2", "12.00", nil),
    ("1 234 567,8", "1234567.80", .comma), ("1\u{a0}234", "1234.00", nil),
    ("1\u{2009}234\u{202f}567", "1234567.00", nil), ("1'234.5", "1234.50", .point),
    (" 12 ", "12.00", nil), ("007", "7.00", nil), (thirty, thirty + ".00", nil),
    ("0.\(String(repeating: "0", count: 28))1", "0.00", .point),
  ]

  @Test(arguments: amounts)
  func `an amount is read`(text: String, expected: String, sign: DecimalSign?) throws {
    let amount = try #require(Amount(text))
    let value = Decimal.quotient([amount.value], by: [.one], scale: 2)
    #expect(value.text() == expected && amount.sign == sign)
  }

  @Test(arguments: [
    "", " ", ".", ",", ",,", ".,", "'", "-1", "+1", "-", "1e5", "abc", "1,2.3,4", "1.2,3.4",
    "1.2,3,4",
    "12 USD", "$5", "٣", "１", "½", "NaN", "inf", "0x10", "1’000", "1_000", "1\t2", "1\n",
    "1\u{301}",
    thirty + "0", "0" + thirty, "0.\(thirty)",
  ])
  func `anything else is none`(text: String) { #expect(Amount(text) == nil) }

  @Test func `results have two decimals and the sign that is asked for`() throws {
    let value = try #require(Amount("1234567,8")).value
    #expect(Decimal.quotient([value], by: [.one], scale: 2).text(sign: .comma) == "1234567,80")
  }
}
