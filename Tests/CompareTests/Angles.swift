import Foundation

@testable import SondeCompare

/// The angle between two places, by the cross and the dot product of their vectors.
func angle(_ first: GeographicPosition, _ second: GeographicPosition) -> Double {
  let (a, b) = (vector(first), vector(second))
  let cross = [
    a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0],
  ]
  let length = cross.map { $0 * $0 }.reduce(0, +).squareRoot()
  return atan2(length, zip(a, b).map(*).reduce(0, +))
}

private func vector(_ place: GeographicPosition) -> [Double] {
  let (north, east) = (place.latitude * .pi / 180, place.longitude * .pi / 180)
  return [cos(north) * cos(east), cos(north) * sin(east), sin(north)]
}
