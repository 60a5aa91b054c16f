import Foundation
import Testing

@testable import SondePage

/// Holds what `Tests/Outlines` makes to its form, which `Page.docc` tells.
@Suite struct OutlinesTests {
  private struct World: Decodable {
    let origin: String
    let licence: String
    let scale: Int
    let points: [String: [Int]]
    let outlines: [String: [[Int]]]
  }

  private let world: World

  init() throws { world = try JSONDecoder().decode(World.self, from: Data(PageResource.outlines)) }

  @Test func `their origin and licence are with them`() {
    #expect(world.origin.contains("Natural Earth"))
    #expect(world.licence == "Public domain")
  }

  @Test func `every country with an outline has a point, and so have small ones`() {
    #expect(Set(world.outlines.keys).isSubset(of: world.points.keys))
    #expect(Set(["SG", "HK", "MT", "MC", "LI", "GF", "XK"]).isSubset(of: world.points.keys))
    // ISO 3166-1 has 249; Kosovo is none of them.
    #expect(world.points.count == 250)
  }

  @Test func `every point and every corner is on the earth`() {
    for (country, place) in world.points {
      #expect(place.count == 2 && isOnEarth(place[0], place[1]), "\(country)")
    }
    for (country, rings) in world.outlines {
      for ring in rings {
        #expect(ring.count >= 6 && ring.count.isMultiple(of: 2), "\(country)")
        #expect(isOnEarth(ring), "\(country)")
      }
    }
  }

  private func isOnEarth(_ ring: [Int]) -> Bool {
    var (longitude, latitude) = (0, 0)
    for index in stride(from: 0, to: ring.count - 1, by: 2) {
      longitude += ring[index]
      latitude += ring[index + 1]
      guard isOnEarth(longitude, latitude) else { return false }
    }
    return true
  }

  private func isOnEarth(_ longitude: Int, _ latitude: Int) -> Bool {
    abs(longitude) <= 180 * world.scale && abs(latitude) <= 90 * world.scale
  }
}
