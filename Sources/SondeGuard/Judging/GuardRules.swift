import Glibc

/// When hits of a key raise an alert.
package struct GuardRules: Sendable, Equatable {
  /// The number of hits that raise an alert.
  package var count = 1
  /// The window in which they lie, in milliseconds.
  package var within: Int64 = 600_000
  /// The time between two alerts of a key, in milliseconds.
  package var every: Int64 = 3_600_000
  /// Whether only hits count whose value the key did not have before.
  package var wantsNewValues = false
  /// Whether only hits count that are too far from the one before: the speed in km/h.
  package var speed: Double?

  /// How long a value is known after it was last seen, in milliseconds.
  static let knownFor: Int64 = 90 * 86_400_000
  /// The shortest way that is a travel, in kilometres.
  static let shortestWay = 100.0

  package init() {}
}

/// Where and when a hit was.
package struct HitPlace: Sendable, Equatable {
  /// In milliseconds since 1970 UTC.
  package var time: Int64
  package var ip: String
  package var city: String?
  package var countryCode: String?
  /// In degrees (WGS 84); not finite where it is not known.
  package var latitude = Double.nan
  package var longitude = Double.nan

  package init(time: Int64, ip: String) { (self.time, self.ip) = (time, ip) }

  var hasCoordinates: Bool { latitude.isFinite && longitude.isFinite }

  /// The great-circle distance in kilometres, on a sphere of the Earth's mean radius (6,371.0088 km,
  /// IUGG), by the haversine formula.
  func distance(to other: HitPlace) -> Double {
    let radians = Double.pi / 180
    let (from, to) = (latitude * radians, other.latitude * radians)
    let across = sin((to - from) / 2)
    let along = sin((other.longitude - longitude) * radians / 2)
    let part = across * across + cos(from) * cos(to) * along * along
    return 2 * 6371.0088 * asin(min(1, part.squareRoot()))
  }
}
