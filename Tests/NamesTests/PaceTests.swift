import Testing

@testable import SondeNames

@Suite struct PaceTests {
  /// Asks for a while as often as it may, each question answered after a time.
  private func run(
    _ pace: inout ResolverPace,
    from start: Duration = .zero,
    for time: Duration,
    answeredAfter delay: Duration
  ) -> [Duration] {
    var (asked, underWay, now) = ([Duration](), [Duration](), start)
    while now < start + time {
      while let first = underWay.first, first + delay <= now {
        pace.end(isOverload: false, began: first, now: now)
        underWay.removeFirst()
      }
      while let next = pace.next(now: now), next <= now {
        pace.begin(now: now)
        asked.append(now)
        underWay.append(now)
      }
      now += .milliseconds(1)
    }
    for first in underWay { pace.end(isOverload: false, began: first, now: now) }
    return asked
  }

  @Test func `a resolver of one's own is limited by what is under way`() {
    var pace = ResolverPace(isPublic: false)
    #expect(run(&pace, for: .seconds(1), answeredAfter: .seconds(2)).count == 256)
    #expect(run(&pace, for: .seconds(1), answeredAfter: .milliseconds(100)).count == 2560)
    #expect(pace.rate == nil)
  }

  @Test func `a public resolver gets at most 500 questions in any second`() {
    var pace = ResolverPace(isPublic: true)
    var asked = run(&pace, for: .seconds(3), answeredAfter: .milliseconds(20))
    // A pause saves up a little, and no more.
    asked += run(&pace, from: .seconds(60), for: .seconds(3), answeredAfter: .milliseconds(20))
    #expect((2700...2900).contains(asked.count))
    let most = asked.map { begin in asked.count { begin <= $0 && $0 < begin + .seconds(1) } }.max()
    #expect(most.map { (450...480).contains($0) } == true)
  }

  @Test func `a public resolver that is slow gets no more than 256 at a time`() {
    var pace = ResolverPace(isPublic: true)
    #expect(run(&pace, for: .seconds(5), answeredAfter: .seconds(9)).count == 256)
  }

  @Test(arguments: [false, true])
  func `an overload halves the pace once for all that was asked before`(isPublic: Bool) {
    var pace = ResolverPace(isPublic: isPublic)
    let full = (pace.width, pace.rate ?? 0)
    for _ in 0..<100 { pace.begin(now: .zero) }
    for _ in 0..<100 { pace.end(isOverload: true, began: .zero, now: .seconds(3)) }
    #expect((pace.width, pace.rate ?? 0) == (full.0 / 2, full.1 / 2))
    pace.begin(now: .seconds(3))
    pace.end(isOverload: true, began: .seconds(3), now: .seconds(4))
    #expect((pace.width, pace.rate ?? 0) == (full.0 / 4, full.1 / 4))
  }

  @Test func `the pace has a least, and recovers with answers`() {
    var pace = ResolverPace(isPublic: false)
    for second in 0..<20 {
      pace.begin(now: .seconds(second))
      pace.end(isOverload: true, began: .seconds(second), now: .seconds(second))
    }
    #expect(pace.width == 16)
    var widths: Set<Int> = []
    for _ in 0..<3000 {
      pace.begin(now: .seconds(20))
      pace.end(isOverload: false, began: .seconds(20), now: .seconds(20))
      widths.insert(pace.width)
    }
    #expect(widths == Set(stride(from: 16, through: 256, by: 16)))
    #expect(pace.width == 256)
  }
}

@Suite struct PresenceTests {
  @Test func `a question is at fault where others were answered since`() {
    var presence = Presence()
    presence.answered(now: .seconds(2))
    #expect(presence.unanswered(began: .seconds(1)) == .ofTheQuestion)
    #expect(!presence.isDoubted)
  }

  @Test func `where none was, nobody knows until one is`() {
    var presence = Presence()
    #expect(presence.unanswered(began: .seconds(1)) == .unknown)
    #expect(presence.isDoubted)
    presence.answered(now: .seconds(2))
    #expect(!presence.isDoubted)
    #expect(presence.unanswered(began: .seconds(3)) == .unknown)
    presence.lost()
    #expect(!presence.isDoubted)
  }
}
