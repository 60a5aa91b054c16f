import SondeAddresses
import Testing

@testable import SondeRecords

@Suite struct BuildPeriodTests {
  @Test func `a period begins at a build and ends before the next`() {
    let periods = BuildPeriods(builds: [30, 10, 20, 10])
    #expect(periods.count == 3)
    let table: [(Int64?, Int?)] = [
      (nil, nil), (.min, 0), (-1, 0), (9999, 0), (10_000, 1), (19_999, 1), (20_000, 2),
      (29_999, 2), (30_000, 3), (.max, 3),
    ]
    for (time, builds) in table { #expect(periods.period(of: time).builds == builds) }
    #expect(periods.period(of: nil) == .timeless)
    #expect(BuildPeriods(builds: []).period(of: 5).builds == 0)
  }

  @Test func `the same address at times with other answers is another question`() {
    let periods = BuildPeriods(builds: [10])
    let address = Address(ipv4: 7)
    let all = [nil, 0, 9999, 10_000, 50_000].map {
      SubjectKey(address, in: periods.period(of: $0))
    }
    #expect(Set(all + [SubjectKey(address)]).count == 4)
  }
}
