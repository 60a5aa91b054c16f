import Testing

@testable import SondeRecords

@Suite struct NumberTests {
  private func shortest(_ number: Double) -> String {
    let bytes = [UInt8](capacity: 40) { $0.append(shortest: number) }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func decimal(_ number: UInt64) -> String {
    String(decoding: [UInt8](capacity: 40) { $0.append(decimal: number) }, as: UTF8.self)
  }

  @Test(arguments: [
    (51.0, "51"), (-77.5, "-77.5"), (39.03, "39.03"), (0.0, "0"), (-0.0, "-0"), (0.1, "0.1"),
    (-180, "-180"), (37.4056, "37.4056"), (1e-7, "0.0000001"), (0.1 + 0.2, "0.30000000000000004"),
    (100, "100"), (1_000_000, "1000000"), (9_999_999, "9999999"), (10_000_000, "10000000"),
    (122.0842100, "122.08421"), (1.0000001, "1.0000001"), (-0.0000001, "-0.0000001"),
    (37.42229843139648, "37.42229843139648"), (0.05, "0.05"), (1e15, "1000000000000000"),
  ]) func `a number has its shortest form`(number: Double, text: String) {
    #expect(shortest(number) == text)
  }

  @Test func `random numbers read back the same, and no shorter form does`() {
    var random = SplitMix(seed: 1)
    var differences: [String] = []
    for _ in 0..<40_000 {
      let degrees = Double.random(in: -180...180, using: &random)
      let places = [1.0, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9].randomElement(using: &random)
      let rounded = (degrees * (places ?? 1)).rounded() / (places ?? 1)
      let anything = Double(bitPattern: random.next())
      for number in [degrees, rounded, Double(Float(degrees)), anything, rounded * 1e5]
      where number.isFinite {
        let text = shortest(number)
        let isSame = Double(text)?.bitPattern == number.bitPattern
        if !isSame || digits(text) != digits(number.description) { differences.append(text) }
      }
    }
    #expect(differences == [])
  }

  /// The significant digits of a number.
  private func digits(_ text: String) -> String {
    let mantissa = text.prefix { $0 != "e" }.filter(\.isNumber).drop { $0 == "0" }
    return String(mantissa.reversed().drop { $0 == "0" })
  }

  @Test func `whole numbers of every length`() {
    var numbers: [UInt64] = [0, 1, 9, .max, .max - 1]
    var power: UInt64 = 1
    for _ in 0..<19 {
      power *= 10
      numbers += [power - 1, power, power + 1, power + power / 3]
    }
    #expect(numbers.map(decimal) == numbers.map(String.init))
  }
}

/// A generator that gives the same numbers in every run (Steele, Lea, Flood, 2014).
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
