import Glibc
import Synchronization

/// The C library's time zones: those of the IANA database (tzset(3)).
public enum TimeZoneDatabase {
  /// A change of the clocks.
  public struct Change: Sendable, Equatable {
    /// The moment, in seconds since 1970 UTC.
    public let at: Int64
    /// The new offset from UTC in seconds.
    public let offset: Int64
  }

  private static let folder = "/usr/share/zoneinfo/"
  /// The process has one zone at a time.
  private static let lock = Mutex(())

  /// Finds the clock changes of a zone up to 2200, which makes it the zone of the process.
  ///
  /// They are in order; the first one is the offset before the others, and those before 1970 can be
  /// incomplete. `nil` if there is no zone of a name such as `Europe/Berlin`.
  public static func changes(of name: String) -> [Change]? {
    guard isName(name),
      let file = try? WholeFile(path: folder + name).read(atMost: 1 << 20),
      file.starts(with: "TZif".utf8)
    else { return nil }
    return lock.withLock { _ in
      unsafe setenv("TZ", ":" + folder + name, 1)
      tzset()
      return changes()
    }
  }

  /// Compares the offsets of moments that are three days apart: since 1970, no zone has changed its
  /// clocks twice within six days.
  private static func changes() -> [Change] {
    // 1800-01-01, when all zones had local mean time, and 1969-12-01.
    var changes = [Change(at: -5_364_662_400, offset: offset(at: -5_364_662_400))]
    for next in stride(from: Int64(-2_678_400), to: 7_258_118_400, by: 3 * 86_400) {
      let offsetThen = offset(at: next)
      while let last = changes.last, last.offset != offsetThen {
        let change = firstChange(in: max(last.at, next - 3 * 86_400)..<next, from: last.offset)
        changes.append(Change(at: change, offset: offset(at: change)))
      }
    }
    return changes
  }

  /// The first moment in a range, or its end, that has another offset than its start.
  private static func firstChange(in range: Range<Int64>, from start: Int64) -> Int64 {
    var (before, after) = (range.lowerBound, range.upperBound)
    while after - before > 1 {
      let middle = (before + after) / 2
      if offset(at: middle) == start { before = middle } else { after = middle }
    }
    return after
  }

  private static func offset(at moment: Int64) -> Int64 {
    var moment = Int(moment)
    var local = unsafe tm()
    unsafe localtime_r(&moment, &local)
    return Int64(unsafe local.tm_gmtoff)
  }

  /// Whether a name can be that of a zone, so that no other file is read.
  private static func isName(_ name: String) -> Bool {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    return parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(isPartOfName) }
  }

  private static func isPartOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "+"),
      UInt8(ascii: "-"):
      true
    default: false
    }
  }
}
