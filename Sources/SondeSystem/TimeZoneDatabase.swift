import Glibc

/// The C library's time zones: the compiled files of the IANA database (tzfile(5)).
public enum TimeZoneDatabase {
  private static let folder = "/usr/share/zoneinfo/"
  /// The largest file that is read; those of the database have a few thousand bytes.
  private static let limit = 1 << 20

  /// Reads the file of a zone.
  ///
  /// - Parameter name: The zone's name, such as `Europe/Berlin`.
  /// - Returns: The content of the file; `nil` if there is no zone of this name.
  public static func file(of name: String) -> [UInt8]? {
    guard isName(name),
      let file = try? Descriptor(opening: folder + name, O_RDONLY | O_NOCTTY | O_NONBLOCK),
      let status = try? file.status(), status.isRegular, status.size <= limit
    else { return nil }
    var count = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Int(status.size)) {
      unsafe count = Glibc.read(file.number, $0.baseAddress, $0.count)
      $1 = max(0, count)
    }
    return count > 0 ? bytes : nil
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
