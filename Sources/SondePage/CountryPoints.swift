/// A central point of each country, for maps without a more precise place.
public enum CountryPoints {
  /// A point in degrees.
  public struct Point: Sendable, Equatable {
    /// Degrees north.
    public let latitude: Double

    /// Degrees east.
    public let longitude: Double
  }

  /// The points, by the countries' codes (ISO 3166-1 alpha-2).
  public static let all: [String: Point] = points(in: PageResource.outlines)

  /// Tenths of a degree, as written by `Tests/Outlines`.
  private static let scale = 10.0

  /// Parses the lines of the form `"AD":[15,425],` in the section of points.
  static func points(in outlines: [UInt8]) -> [String: Point] {
    var points: [String: Point] = [:]
    var isInside = false
    for line in outlines.split(separator: UInt8(ascii: "\n")) {
      let text = String(decoding: line, as: UTF8.self)
      guard isInside else {
        isInside = text == "\"points\":{"
        continue
      }
      guard text.hasPrefix("\"") else { break }
      let parts = text.split { "\":[,]".contains($0) }
      guard parts.count == 3, let x = Double(parts[1]), let y = Double(parts[2]) else { continue }
      points[String(parts[0])] = Point(latitude: y / scale, longitude: x / scale)
    }
    return points
  }
}
