import SondeRecords
import SondeStore
import SondeSystem

extension CacheStatistics {
  /// One object on a line, without members for missing times.
  package var json: [UInt8] {
    var object = JSONObject()
    object.add("answers", answers)
    object.add("bytes", bytes)
    if let oldest { object.add("oldest", Timestamp(seconds: oldest).wholeSeconds) }
    if let newest { object.add("newest", Timestamp(seconds: newest).wholeSeconds) }
    return object.line
  }

  /// A line for each figure.
  package var text: String {
    let rows = [
      ("answers", "\(answers)"), ("bytes", "\(bytes)" + sizeForPerson),
      ("oldest", oldest.map { Timestamp(seconds: $0).wholeSeconds } ?? "-"),
      ("newest", newest.map { Timestamp(seconds: $0).wholeSeconds } ?? "-"),
    ]
    return rows.map { padded($0.0, 10) + $0.1 + "\n" }.joined()
  }

  /// The size in the largest suitable unit; empty below 1 KiB.
  private var sizeForPerson: String {
    let units = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)]
    guard let (unit, size) = units.first(where: { bytes >= $0.1 }) else { return "" }
    let tenths = bytes * 10 / size
    return " (\(tenths / 10).\(tenths % 10) \(unit))"
  }
}
