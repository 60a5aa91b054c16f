import Glibc

/// A place on the earth in degrees (WGS 84).
public struct GeographicPosition: Sendable, Equatable {
  /// Degrees north.
  public let latitude: Double
  /// Degrees east.
  public let longitude: Double

  /// The mean radius of the earth in kilometres (IUGG, R₁).
  public static let earthRadius = 6371.0

  /// Creates a place; `nil` if a coordinate is missing (NaN) or out of its range.
  public init?(latitude: Double, longitude: Double) {
    guard abs(latitude) <= 90, abs(longitude) <= 180 else { return nil }
    (self.latitude, self.longitude) = (latitude, longitude)
  }

  /// The great-circle distance to another place on a sphere, in kilometres.
  ///
  /// The form with `atan2` is exact for close places and for antipodes, unlike the law of cosines
  /// and the haversine (T. Vincenty, Survey Review 23, 1975, on a sphere).
  public func distance(to other: GeographicPosition) -> Double {
    let radians = Double.pi / 180
    let (north, otherNorth) = (latitude * radians, other.latitude * radians)
    let turn = (other.longitude - longitude) * radians
    let across = cos(otherNorth) * sin(turn)
    let along = cos(north) * sin(otherNorth) - sin(north) * cos(otherNorth) * cos(turn)
    let level = sin(north) * sin(otherNorth) + cos(north) * cos(otherNorth) * cos(turn)
    return Self.earthRadius * atan2((across * across + along * along).squareRoot(), level)
  }

  /// The same in whole kilometres.
  public func wholeDistance(to other: GeographicPosition) -> Int {
    Int(distance(to: other).rounded())
  }
}
