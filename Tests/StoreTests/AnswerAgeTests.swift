import Testing

@testable import SondeStore

@Suite struct AnswerAgeTests {
  private static let given = AnswerMoment(seconds: 1_800_000_000, uptime: 50_000, boot: 7)

  private func after(wall: Int64, uptime: Int64, boot: Int64 = 7) -> AnswerMoment {
    let given = Self.given
    return AnswerMoment(seconds: given.seconds + wall, uptime: given.uptime + uptime, boot: boot)
  }

  private struct Case: CustomTestStringConvertible {
    var testDescription: String
    var wall: Int64
    var uptime: Int64
    var boot: Int64 = 7
    var age: Duration?
  }

  @Test(arguments: [
    Case(testDescription: "at once", wall: 0, uptime: 0, age: .zero),
    Case(testDescription: "both clocks agree", wall: 60, uptime: 60_000, age: .seconds(60)),
    Case(
      testDescription: "uptime tells parts of seconds",
      wall: 60,
      uptime: 60_400,
      age: .milliseconds(60_400)
    ),
    Case(testDescription: "clock set back", wall: -3600, uptime: 9000, age: .seconds(9)),
    Case(testDescription: "clock set forth", wall: 7200, uptime: 9000, age: .seconds(7200)),
    Case(testDescription: "started again", wall: 60, uptime: -40_000, boot: 8, age: .seconds(60)),
    Case(testDescription: "started again, clock set back", wall: -1, uptime: 0, boot: 8, age: nil),
    Case(testDescription: "uptime of the future", wall: 60, uptime: -1, age: nil),
    Case(testDescription: "start not known", wall: 60, uptime: 90_000, boot: 0, age: .seconds(60)),
  ])
  private func `the age is what the clock that ran further says`(_ test: Case) {
    let now = after(wall: test.wall, uptime: test.uptime, boot: test.boot)
    #expect(now.age(of: Self.given) == test.age)
  }

  @Test func `a start that is not known on either side is not the same start`() {
    var given = Self.given
    given.boot = 0
    #expect(after(wall: 5, uptime: -1, boot: 0).age(of: given) == .seconds(5))
  }

  @Test func `moments that no clock shows do no harm`() {
    let extremes = [Int64.min, -1, 0, 1, .max]
    for seconds in extremes {
      for uptime in extremes {
        let other = AnswerMoment(seconds: seconds, uptime: uptime, boot: 7)
        for age in [Self.given.age(of: other), other.age(of: Self.given)].compactMap(\.self) {
          #expect(age >= .zero)
        }
      }
    }
  }

  @Test func `an answer is fresh until it has the age of the limit`() {
    let limit = Duration.seconds(300)
    #expect(after(wall: 299, uptime: 299_999).isFresh(Self.given, youngerThan: limit))
    #expect(!after(wall: 299, uptime: 300_000).isFresh(Self.given, youngerThan: limit))
    #expect(!after(wall: 300, uptime: 0).isFresh(Self.given, youngerThan: limit))
    #expect(!after(wall: 0, uptime: 0).isFresh(Self.given, youngerThan: .zero))
  }

  @Test func `a clock set back lengthens no life`() {
    let limit = Duration.seconds(300)
    for back in stride(from: Int64(0), through: 100_000, by: 1000) {
      #expect(!after(wall: -back, uptime: 300_000).isFresh(Self.given, youngerThan: limit))
      #expect(!after(wall: -back - 1, uptime: 1, boot: 9).isFresh(Self.given, youngerThan: limit))
    }
  }

  @Test func `without a limit any age will do, even one of the future`() {
    #expect(after(wall: -5, uptime: -5).isFresh(Self.given, youngerThan: nil))
    #expect(after(wall: 1 << 40, uptime: 0, boot: 1).isFresh(Self.given, youngerThan: nil))
  }
}
