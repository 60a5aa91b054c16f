import Testing

@testable import SondeNames

@Suite struct TriesTests {
  /// The tries after a number of answers, of which some came after silences.
  private func limit(_ answers: Int, silences: Int, retries: Int = 2) -> Int {
    var tries = Tries(retries: retries)
    for number in 0..<answers { tries.answered(afterSilences: number < silences ? 1 : 0) }
    return tries.limit
  }

  @Test func `where nothing is lost it is asked three times`() {
    #expect(Tries(retries: 2).limit == 3)
    #expect(limit(1_000_000, silences: 0) == 3)
    #expect(limit(8000, silences: 1) == 3)
  }

  @Test func `the more is lost, the more often it is asked`() {
    #expect(limit(1000, silences: 10) == 5)
    #expect(limit(1000, silences: 53) == 7)
    #expect(limit(1000, silences: 111) == 9)
    #expect(limit(1000, silences: 500) == Tries.most)
    #expect(limit(1, silences: 1) == 6)
  }

  @Test func `of twenty thousand names at any loss up to a sixth none is given up by chance`() {
    for rate in stride(from: 0.01, through: 0.16, by: 0.01) {
      let answers = 4000
      let tries = limit(answers, silences: Int(rate / (1 - rate) * Double(answers)))
      var chance = 40_000.0
      for _ in 0..<tries { chance *= rate }
      #expect(chance < 0.001, "\(rate)")
    }
  }

  @Test func `what was lost long ago is forgotten`() {
    var tries = Tries(retries: 2)
    for _ in 0..<1000 { tries.answered(afterSilences: 1) }
    #expect(tries.limit == Tries.most)
    for _ in 0..<200_000 { tries.answered(afterSilences: 0) }
    #expect(tries.limit == 3)
  }

  @Test func `whoever wants fewer tries has them`() {
    #expect(limit(1000, silences: 500, retries: 1) == 2)
    #expect(limit(1000, silences: 500, retries: 0) == 1)
  }
}
