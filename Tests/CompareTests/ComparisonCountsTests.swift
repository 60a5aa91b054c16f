import TestSupport
import Testing

@testable import SondeCompare

@Suite struct ComparisonCountsTests {
  private func opinion(_ country: String, _ longitude: Double? = nil) -> Opinion {
    var opinion = Opinion()
    opinion.countryCode = country
    opinion.position = longitude.flatMap { GeographicPosition(latitude: 0, longitude: $0) }
    return opinion
  }

  private func names(_ count: Int) -> [ComparedSource] {
    ComparedSource.named(
      providers: ["local"],
      local: "local",
      databases: (0..<count).map { "s\($0)" },
      hasTruth: false
    )
  }

  @Test func `tables of sources, countries and confidences`() {
    var counts = ComparisonCounts(sources: 3, hasTruth: false)
    counts.count([opinion("DE", 0), opinion("DE", 1), opinion("FR")], truth: nil)
    counts.count([opinion("DE", 0), opinion("DE", 2), opinion("DE")], truth: nil)
    // One voice is no agreement.
    counts.count([opinion("US"), opinion(""), opinion("")], truth: nil)
    counts.count([opinion(""), opinion("", 5), opinion("", 5)], truth: nil)
    let tables = counts.tables(of: names(3))
    #expect(tables.map(\.name) == ["source", "country", "confidence"])
    #expect(
      tables.flatMap(\.rows).map { $0.dropFirst().joined(separator: " ") } == [
        "s0 3 1 166.5 ", "s1 2 1 111 ", "s2 2 0.5 0 ", "DE 2 0.833 166.5 ", "US 1 1  ",
        "high 0   ", "medium 2 0.833 166.5 ", "low 1 1  ",
      ]
    )
  }

  @Test func `with the truth, sources are measured by it`() {
    var counts = ComparisonCounts(sources: 2, hasTruth: true)
    let place = TruePlace(
      countryCode: "DE",
      position: GeographicPosition(latitude: 0, longitude: 10)
    )
    counts.count([opinion("DE", 0), opinion("FR", 20)], truth: place)
    counts.count([opinion("DE", 11), opinion("", 12)], truth: place)
    counts.count([opinion("DE", 9), opinion("FR", 9)], truth: nil)
    #expect(
      counts.tables(of: names(2)).flatMap(\.rows).map { $0.dropFirst().joined(separator: " ") } == [
        "s0 3 1 611.5 1", "s1 2 0 667 0", "DE 3 0.667 111 1", "high 0   ", "medium 0   ",
        "low 3 0.667 111 1",
      ]
    )
  }

  @Test func `medians are those of sorted lists, for seeded distances`() {
    var random = SeededGenerator(seed: 7)
    for count in 1...60 {
      var counts = ComparisonCounts(sources: 2, hasTruth: false)
      let longitudes = (0..<count).map { _ in Double.random(in: -180...180, using: &random) }
      for longitude in longitudes {
        counts.count([opinion("DE", 0), opinion("DE", longitude)], truth: nil)
      }
      let sorted = longitudes.map { (abs($0) * .pi / 180 * 6371).rounded() }.sorted()
      let median = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
      #expect(counts.sources.map(\.medianDistance) == [median, median])
      #expect(counts.countries["DE"]?.medianDistance == median)
    }
  }
}
