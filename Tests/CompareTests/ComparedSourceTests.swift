import Testing

@testable import SondeCompare

@Suite struct ComparedSourceTests {
  private func names(
    _ providers: [String],
    _ databases: [String] = [],
    hasTruth: Bool = false
  ) -> [String] {
    ComparedSource.named(
      providers: providers,
      local: "local",
      databases: databases,
      hasTruth: hasTruth
    ).map(\.name)
  }

  @Test func `sources are providers, and each of several databases`() {
    #expect(names(["ip-api", "local"]) == ["ip_api", "local"])
    #expect(names(["local", "ipinfo-lite"], ["x.mmdb"]) == ["local", "ipinfo_lite"])
    #expect(
      names(["ip-api", "local", "ipinfo"], ["/a/GeoLite2-City.mmdb", "b/dbip.city.2026-11.MMDB"])
        == ["ip_api", "geolite2_city", "dbip_city_2026_11", "ipinfo"]
    )
    // Two databases of another provider are none of this one's.
    #expect(names(["ip-api"], ["a.mmdb", "b.mmdb"]) == ["ip_api"])
  }

  @Test func `what is no letter or digit is an underscore, and a file may have no ending`() {
    #expect(
      names(["local"], ["/x/Ärger ß.mmdb", "/x/.hidden", "plain/"])
        == ["_rger__", "_hidden", "plain"]
    )
  }

  @Test func `names and columns stand there once`() {
    #expect(
      names(["local"], ["a/x.mmdb", "b/x.mmdb", "x_2", "x"]) == ["x", "x_2", "x_2_2", "x_3"]
    )
    #expect(names(["ip-api", "local"], ["ip-api.mmdb", "y"]) == ["ip_api", "ip_api_2", "y"])
    // `distance_km` and `truth_country_code` are columns of the record, with the truth.
    #expect(names(["local"], ["distance", "truth"]) == ["distance", "truth"])
    #expect(names(["local"], ["distance", "truth"], hasTruth: true) == ["distance_2", "truth_2"])
  }
}
