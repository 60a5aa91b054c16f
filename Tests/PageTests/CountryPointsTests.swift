import Testing

@testable import SondePage

@Suite struct CountryPointsTests {
  @Test func `each country has a point`() throws {
    let points = CountryPoints.all
    #expect(points.count == 250)
    let switzerland = try #require(points["CH"])
    #expect(abs(switzerland.latitude - 46.8) < 1 && abs(switzerland.longitude - 8.2) < 1)
    #expect(points.keys.allSatisfy { $0.count == 2 })
  }
}
