import Testing

@testable import SondeLive

@Suite struct StepTests {
  /// Ten seconds into a step of ten seconds and of five minutes.
  private let now: Int64 = 1_700_000_100

  @Test func timesAreShownUpToNowAndAsLongAsTheyAre() {
    for length in StepLength.allCases {
      let range = length.range(at: now + 7)
      #expect(range.contains(now + 7))
      #expect(range.upperBound - range.lowerBound == length.span)
      #expect(range.lowerBound % length.rawValue == 0)
    }
    #expect(StepLength.fiveMinutes.start(of: -1) == -300)
  }

  @Test func aHitOfNowIsInOneStep() {
    let bounds = StepBounds(at: now)
    #expect(bounds.steps(of: now + 3, at: now + 3).map(\.length) == [.second])
  }

  @Test func anEarlierHitIsInAllStepsThatItsTimeHas() {
    let bounds = StepBounds(at: now)
    #expect(
      bounds.steps(of: now - 1, at: now).map(\.length) == [.second, .tenSeconds, .fiveMinutes]
    )
    #expect(bounds.steps(of: now - 1000, at: now).map(\.length) == [.tenSeconds, .fiveMinutes])
    #expect(bounds.steps(of: now - 5000, at: now).map(\.length) == [.fiveMinutes])
    #expect(bounds.steps(of: now - 90_000, at: now).isEmpty)
  }

  /// Hits at all times, counted and folded, against a list of them.
  @Test(arguments: StepLength.allCases) func eachHitIsShownOnce(_ length: StepLength) {
    var generator = SystemRandomNumberGenerator()
    var bounds = StepBounds(at: now)
    var steps: [LogStep: Int] = [:]
    var all: [Int64] = []
    var clock = now
    for _ in 0..<3000 {
      clock += Int64.random(in: 0...20, using: &generator)
      // The clock is set back, too.
      if Int.random(in: 0..<500, using: &generator) == 0 { clock -= 400 }
      let isLate = Int.random(in: 0..<5, using: &generator) == 0
      let time = clock - (isLate ? Int64.random(in: 0...4000, using: &generator) : 0)
      for step in bounds.steps(of: time, at: clock) { steps[step, default: 0] += 1 }
      all.append(time)
      for folding in bounds.advance(to: clock) {
        let folded = steps.filter {
          $0.key.length == folding.from && folding.range.contains($0.key.start)
        }
        for (step, count) in folded {
          let coarse = LogStep(length: folding.to, start: folding.to.start(of: step.start))
          steps[coarse, default: 0] += count
        }
      }
    }
    clock = max(clock, all.max() ?? clock)
    let range = length.range(at: clock)
    var shown = 0
    for (part, range) in bounds.parts(of: length, at: clock) {
      for (step, count) in steps where step.length == part && range.contains(step.start) {
        shown += count
      }
    }
    #expect(shown == all.count { range.contains($0) })
  }

  @Test func countsAreReadAsTheyWereStored() {
    var counts = StepCounts()
    let numbers: [UInt32] = [0, 1, 127, 128, 16_384, 999_999, .max]
    for (index, number) in numbers.enumerated() {
      counts.add(UInt32(index) * 1000 + 1, of: number)
    }
    counts.add(.max, of: 127)
    counts.add(.max, of: 127)
    var others = StepCounts()
    others.add(stored: counts.stored.span)
    #expect(others == counts)
    #expect(others.hits[127] == .max)
    // Bytes that break off, or are none of ours.
    let stored = counts.stored
    for count in 0..<stored.count {
      var broken = StepCounts()
      broken.add(stored: stored.span.extracting(..<count))
      #expect(broken.hits.count <= counts.hits.count)
    }
    var foreign = StepCounts()
    foreign.add(stored: [UInt8](repeating: 0xff, count: 50).span)
    #expect(foreign.hits.isEmpty)
  }

  @Test func linesAreCutWhereTheyEnd() {
    var cutter = LineSplitter(longest: 5)
    let cut = { (text: String) in
      cutter.cut(Array(text.utf8)[...]).map { String(decoding: $0, as: UTF8.self) }
    }
    #expect(cut("a\nbc") == ["a"])
    #expect(cut("d\n\n1234567\n12") == ["bcd", "", "12345"])
    #expect(cut("34567") == [])
    #expect(cut("8\n") == ["12345"])
    #expect(cutter.takeRest() == nil)
  }
}
