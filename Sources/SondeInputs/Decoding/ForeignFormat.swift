/// A format that is not supported; as text, it would seem to contain no addresses.
package struct ForeignFormat: Equatable {
  /// A description of such an input: `a zip archive`.
  let name: String
  /// Advice for the user.
  let advice: String
  /// The bytes by which it is recognised.
  let signature: Signature
  /// Whether libpcap reads it.
  private(set) var isCapture = false

  private init(
    _ name: String,
    _ advice: String,
    _ bytes: [UInt8],
    at offset: Int = 0,
    masks: [Int: UInt8] = [:]
  ) {
    (self.name, self.advice) = (name, advice)
    signature = Signature(bytes, at: offset, masks: masks)
  }

  /// Why an input is not read, to follow its name and a colon.
  ///
  /// The extension of `path` distinguishes kinds of zip archives.
  func reason(for path: String) -> String {
    guard self == Self.zip, Self.isSpreadsheet(path) else {
      return "is \(name), which is not read: \(advice)"
    }
    return "is a spreadsheet, which is not read: save it as CSV first"
  }

  private static func isSpreadsheet(_ path: String) -> Bool {
    let ending = path.split(separator: ".").last?.lowercased() ?? ""
    return ["xlsx", "xlsm", "xlsb", "ods"].contains(ending)
  }
}

extension ForeignFormat {
  /// The formats, recognised by the signatures documented by file(1) and their own pages.
  static let all = [zip, database] + archives + packings + captures + texts

  private static let zip = ForeignFormat("a zip archive", "unpack it first", [0x50, 0x4b, 3, 4])

  /// The header of https://www.sqlite.org/fileformat.html, 1.3.1.
  package static let database = ForeignFormat(
    "an SQLite database",
    "give its file, unpacked, to summary or upgrade, or print its rows with sqlite3 first",
    Array("SQLite format 3\0".utf8)
  )

  /// An archive with the `ustar` of POSIX.1-2024 (pax(1), ustar Interchange Format), or of GNU tar.
  static let tar = ForeignFormat(
    "a tar archive",
    "print its files with tar -xOf first",
    Array("ustar".utf8),
    at: 257
  )

  private static let archives: [ForeignFormat] = [
    .init("a zip archive without files", "unpack it first", [0x50, 0x4b, 5, 6]),
    .init("a part of a zip archive", "unpack it first", [0x50, 0x4b, 7, 8]),
    .init("a 7z archive", "unpack it first", [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c]),
    .init("a rar archive", "unpack it first", [0x52, 0x61, 0x72, 0x21, 0x1a, 7]),
    .init("a cabinet archive", "unpack it first", [0x4d, 0x53, 0x43, 0x46, 0, 0, 0, 0]),
  ]

  private static let packings: [ForeignFormat] = [
    .init("packed by lz4", "unpack it with lz4 -dc", [0x04, 0x22, 0x4d, 0x18]),
    .init("packed by lz4", "unpack it with lz4 -dc", [0x02, 0x21, 0x4c, 0x18]),
    .init("packed by lzip", "unpack it with lzip -dc", [0x4c, 0x5a, 0x49, 0x50, 1]),
    .init("packed by lzma", "unpack it with xz -dc", [0x5d, 0, 0]),
    .init("packed by lzop", "unpack it with lzop -dc", [0x89, 0x4c, 0x5a, 0x4f, 0, 0x0d, 0x0a]),
    .init("packed by lrzip", "unpack it with lrzip -d", [0x4c, 0x52, 0x5a, 0x49, 0]),
    .init("packed by compress (.Z)", "unpack it with gzip -dc", [0x1f, 0x9d]),
    .init("packed by pack (.z)", "unpack it with gzip -dc", [0x1f, 0x1e]),
    .init(
      "packed by snappy",
      "unpack it first",
      [0xff, 6, 0, 0, 0x73, 0x4e, 0x61, 0x50, 0x70, 0x59]
    ),
    // RFC 1950 §2.2, with the usual levels.
    .init("packed by zlib", "unpack it first", [0x78, 0x9c]),
    .init("packed by zlib", "unpack it first", [0x78, 0xda]),
  ]

  private static let texts: [ForeignFormat] = [
    .init("UTF-32 text", "convert it to UTF-8 first", [0xff, 0xfe, 0, 0]),
    .init("UTF-32 text", "convert it to UTF-8 first", [0, 0, 0xfe, 0xff]),
    .init(
      "an office document",
      "save it as CSV or text first",
      [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]
    ),
  ]

  /// https://www.ietf.org/archive/id/draft-ietf-opsawg-pcap-04.html, pcapng-02.html beside it, and
  /// RFC 1761.
  private static let captures: [ForeignFormat] = [
    capture([0xd4, 0xc3, 0xb2, 0xa1]), capture([0xa1, 0xb2, 0xc3, 0xd4]),
    capture([0x4d, 0x3c, 0xb2, 0xa1]), capture([0xa1, 0xb2, 0x3c, 0x4d]),
    // Written by patched versions of libpcap in the nineties, with longer packet headers.
    capture([0x34, 0xcd, 0xb2, 0xa1]), capture([0xa1, 0xb2, 0xcd, 0x34]),
    // The length is between a section's type and its byte-order mark.
    capture([0x0a, 0x0d, 0x0d, 0x0a, 0, 0, 0, 0, 0x4d, 0x3c, 0x2b, 0x1a]),
    capture([0x0a, 0x0d, 0x0d, 0x0a, 0, 0, 0, 0, 0x1a, 0x2b, 0x3c, 0x4d]),
    .init(
      "a capture of packets by snoop",
      "convert it to pcap first",
      [0x73, 0x6e, 0x6f, 0x6f, 0x70, 0, 0, 0]
    ),
  ]

  private static func capture(_ bytes: [UInt8]) -> ForeignFormat {
    let isSection = bytes[0] == 0x0a
    var format = ForeignFormat(
      "a capture of packets",
      "print it with tcpdump -nr first",
      bytes,
      masks: isSection ? [4: 0, 5: 0, 6: 0, 7: 0] : [:]
    )
    format.isCapture = true
    return format
  }
}
