import Glibc
public import SondeRecords

/// A rectangle of the map in degrees, which may cross the antimeridian.
public struct MapBounds: Sendable, Equatable {
  /// Its edges; if it crosses, `west` is greater than `east`, or either is beyond 180°.
  public var south, west, north, east: Double

  /// The whole world.
  public static let world = MapBounds(south: -90, west: -180, north: 90, east: 180)

  /// Creates a rectangle.
  public init(south: Double, west: Double, north: Double, east: Double) {
    (self.south, self.west, self.north, self.east) = (south, west, north, east)
  }

  func contains(_ point: ScanPlace) -> Bool {
    guard south...max(south, north) ~= point.latitude else { return false }
    let width = east - west < 0 ? east - west + 360 : east - west
    if width >= 360 { return true }
    let offset = (point.longitude - west).truncatingRemainder(dividingBy: 360)
    return (offset < 0 ? offset + 360 : offset) <= width
  }
}

/// Addresses in one place, or so close that a map shows them as one.
public struct ScanPlace: Sendable, Equatable {
  /// Degrees north.
  public var latitude: Double

  /// Degrees east.
  public var longitude: Double

  /// The number of addresses.
  public var addresses: Int

  /// The city and country of most of them.
  public var name: String

  /// The hits of these addresses in a log; `nil` in a scan.
  public var hits: Int?

  /// Creates a place.
  public init(
    latitude: Double,
    longitude: Double,
    addresses: Int,
    name: String,
    hits: Int? = nil
  ) {
    (self.latitude, self.longitude) = (latitude, longitude)
    (self.addresses, self.name, self.hits) = (addresses, name, hits)
  }

  /// The place as returned by the API.
  public var json: JSONObject {
    var object = JSONObject()
    object.add("latitude", latitude)
    object.add("longitude", longitude)
    object.add("addresses", addresses)
    object.add("name", name)
    if let hits { object.add("hits", hits) }
    return object
  }
}

/// Merges places that would overlap on a map.
package enum PlaceClusters {
  /// The size in screen points within which places are merged.
  private static let cell = 48.0

  /// The latitude at which the usual map ends (EPSG:3857).
  private static let edge = 85.051_128_779_806_6

  private static let zooms = 0...20

  /// The places within bounds at a zoom level of the usual maps; most addresses first.
  package static func places(of points: [ScanPlace], zoom: Int, bounds: MapBounds) -> [ScanPlace] {
    let zoom = min(max(zoom, zooms.lowerBound), zooms.upperBound)
    let cells = 256 * Double(1 << zoom) / cell
    var clusters: [Cell: Cluster] = [:]
    for point in points where bounds.contains(point) {
      clusters[Cell(point, cells), default: Cluster()].add(point)
    }
    return clusters.values.map(\.place).sorted {
      $0.addresses != $1.addresses
        ? $0.addresses > $1.addresses
        : ($0.latitude, $0.longitude, $0.name) < ($1.latitude, $1.longitude, $1.name)
    }
  }

  private struct Cell: Hashable {
    let x, y: Int

    init(_ point: ScanPlace, _ cells: Double) {
      let latitude = min(max(point.latitude, -edge), edge) * .pi / 180
      x = Int((point.longitude + 180) / 360 * cells)
      y = Int((1 - log(tan(latitude) + 1 / cos(latitude)) / .pi) / 2 * cells)
    }
  }

  private struct Cluster {
    var sum = ScanPlace(latitude: 0, longitude: 0, addresses: 0, name: "")
    var most = 0

    mutating func add(_ point: ScanPlace) {
      let count = Double(point.addresses)
      sum.latitude += point.latitude * count
      sum.longitude += point.longitude * count
      sum.addresses += point.addresses
      if let hits = point.hits { sum.hits = (sum.hits ?? 0) + hits }
      if point.addresses > most { (most, sum.name) = (point.addresses, point.name) }
    }

    var place: ScanPlace {
      let count = Double(sum.addresses)
      return ScanPlace(
        latitude: sum.latitude / count,
        longitude: sum.longitude / count,
        addresses: sum.addresses,
        name: sum.name,
        hits: sum.hits
      )
    }
  }
}
