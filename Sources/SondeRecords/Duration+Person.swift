extension Duration {
  /// The whole milliseconds, exactly; a floating-point quotient is not exact for a date.
  public var milliseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1000 + attoseconds / 1_000_000_000_000_000
  }

  /// The time in a readable unit: `0.3 s`, `4 min 20 s`, `2 h 5 min`.
  public var forPerson: String {
    let seconds = Int(self / .seconds(1))
    switch seconds {
    case ..<10:
      let tenths = Int((self / .milliseconds(100)).rounded())
      return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
    case ..<60: return "\(seconds) s"
    case ..<3600: return "\(seconds / 60) min" + (seconds % 60 == 0 ? "" : " \(seconds % 60) s")
    case ..<172_800: return "\(seconds / 3600) h \(seconds % 3600 / 60) min"
    default: return "\(seconds / 86_400) days \(seconds % 86_400 / 3600) h"
    }
  }
}
