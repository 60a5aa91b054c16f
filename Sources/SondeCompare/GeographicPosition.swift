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
  public func distance(to other: GeographicPosition) -> Double {
    direction.distance(to: other.direction)
  }

  /// The direction from the centre of the earth: a vector of length 1.
  ///
  /// For the distances between several places, each needs its direction once.
  var direction: Direction {
    let (north, east) = (latitude * .pi / 180, longitude * .pi / 180)
    return Direction(x: cos(north) * cos(east), y: cos(north) * sin(east), z: sin(north))
  }

  /// A vector of length 1.
  struct Direction {
    let x, y, z: Double

    /// The great-circle distance on the earth in kilometres.
    ///
    /// The angle by both products of the vectors is exact for close places and for antipodes, unlike
    /// the law of cosines and the haversine.
    func distance(to other: Direction) -> Double {
      let (a, b) = (y * other.z - z * other.y, z * other.x - x * other.z)
      let c = x * other.y - y * other.x
      let across = (a * a + b * b + c * c).squareRoot()
      return earthRadius * atan2(across, x * other.x + y * other.y + z * other.z)
    }
  }

  /// The same in whole kilometres.
  public func wholeDistance(to other: GeographicPosition) -> Int {
    Int(distance(to: other).rounded())
  }
}
