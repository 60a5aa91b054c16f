import Foundation

@testable import SondeCompare

/// The angle between two places, by the triangle of both with the pole.
///
/// The form is that of T. Vincenty (Survey Review 23, 1975) on a sphere.
func angle(_ first: GeographicPosition, _ second: GeographicPosition) -> Double {
  let (north, otherNorth) = (first.latitude * .pi / 180, second.latitude * .pi / 180)
  let turn = (second.longitude - first.longitude) * .pi / 180
  let across = cos(otherNorth) * sin(turn)
  let along = cos(north) * sin(otherNorth) - sin(north) * cos(otherNorth) * cos(turn)
  let level = sin(north) * sin(otherNorth) + cos(north) * cos(otherNorth) * cos(turn)
  return atan2((across * across + along * along).squareRoot(), level)
}
