import SondePage
import SondeSQLite

/// The distinct points of a table.
enum TablePoints {
  static func count(_ rows: ScanTableReader) throws(SQLiteError) -> [ScanPlace] {
    var points: [ScanPlace] = []
    let sql = """
      SELECT latitude, longitude, count(*), city, country FROM records
      WHERE latitude BETWEEN -90 AND 90 AND longitude BETWEEN -180 AND 180 GROUP BY 1, 2
      """
    try rows.each(sql) { row throws(SQLiteError) in
      let name = [row.text(3), row.text(4)].filter { !$0.isEmpty }.joined(separator: ", ")
      points.append(
        ScanPlace(
          latitude: row.real(0),
          longitude: row.real(1),
          addresses: Int(row.number(2)),
          name: name
        )
      )
    }
    return try points + countries(rows)
  }

  /// Addresses without a more precise place are counted at the centre of their country.
  private static func countries(_ rows: ScanTableReader) throws(SQLiteError) -> [ScanPlace] {
    var places: [ScanPlace] = []
    let sql = """
      SELECT country_code, max(country), count(*) FROM records
      WHERE country_code IS NOT NULL AND (latitude IS NULL OR longitude IS NULL) GROUP BY 1
      """
    try rows.each(sql) { row throws(SQLiteError) in
      let code = row.text(0)
      guard let point = CountryPoints.all[code] else { return }
      let name = row.text(1)
      places.append(
        ScanPlace(
          latitude: point.latitude,
          longitude: point.longitude,
          addresses: Int(row.number(2)),
          name: "\(name.isEmpty ? code : name) (country only)"
        )
      )
    }
    return places
  }
}
