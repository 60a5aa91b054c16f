import Testing

@testable import converter

@Suite struct DecimalTests {
  /// Python must be there: without it this is a failure, not a pass.
  @Test(.timeLimit(.minutes(5)))
  func `conversions are what Python's decimal calculates`() throws {
    let lines = try conversions(20_000)
    try #require(lines.count == 20_000)
    var differences: [String] = []
    for line in lines {
      let words = line.split(separator: " ").map(String.init)
      let own = words.count == 6 ? try Self.convert(words) : "?"
      if own != words.last { differences.append("\(line): \(own)") }
    }
    #expect(differences.prefix(20) == [], "\(differences.count) differences")
    // The middle between two results must have been met often enough.
    #expect(Set(lines).count > 16_000)
  }

  private static func convert(_ words: [String]) throws -> String {
    let rates = Rates(
      known: [
        .dollar: try #require(rate(words[1], words[2])),
        .yuan: try #require(rate(words[3], words[4])),
      ],
      fetched: .zero
    )
    let amount = try #require(Amount(words[0]))
    return try rates.convert(amount.value, from: .dollar, to: .yuan).text()
  }

  private static func rate(_ price: String, _ nominal: String) -> Rate? {
    Rate(price: Decimal(price), nominal: Decimal(nominal), source: .exchange, date: nil)
  }

  @Test(arguments: [
    ("0.125", "0.12"), ("0.375", "0.38"), ("0.3750000000000000000001", "0.38"),
    ("0.1250000000000000000001", "0.13"), ("0.005", "0.00"), ("0.015", "0.02"), ("0", "0.00"),
    ("999.995", "1000.00"), ("0.5e1", "5.00"), ("5E-1", "0.50"), ("1e+3", "1000.00"),
  ])
  func `a half goes to the even one`(text: String, expected: String) throws {
    let value = try #require(Decimal(text))
    #expect(Decimal.quotient([value], by: [.one], scale: 2).text() == expected)
  }

  @Test(arguments: [
    "-1", "-0", "1e41", "1e-41", "1e99999999999999999999",
    "123456789012345678901234567890123456789012", "", "x", "1.2.3", "NaN",
  ])
  func `what is out of proportion or negative is no price`(text: String) {
    let value = Decimal(text)
    #expect(value == nil || value?.coefficient.isZero == true)
  }
}
