import SondeRecords
import SondeSystem

/// The header of a compiled file: the database, the layout, and the checksums.
struct CompiledHeader {
  let identity: DatabaseIdentity
  /// The kind and the build date of the database.
  let source: Source
  let date: Int64
  /// The path of the database, without symbolic links.
  let path: String
  let layout: CompiledLayout
  /// The checksums of the IPv4 groups, then of the IPv6 ones.
  var sums = [UInt64](repeating: 0, count: 2 * CompiledLayout.groups)

  /// `SondeTab` in native byte order, so that files of other machines are rejected.
  private static let magic: UInt64 = 0x5361_6e64_6554_6162

  /// Changed with each change of the format or of the answers' content.
  static let version: UInt64 = 5

  private static let words = CompiledLayout.headerSize / 8
  private static let pathPlace = 20
  private static let sumsPlace = words - 2 * CompiledLayout.groups
  private static let maximumPath = 8 * (sumsPlace - pathPlace)

  /// The encoded header; `nil` if the path is too long.
  var bytes: [UInt8]? {
    let path = Array(path.utf8)
    guard path.count <= Self.maximumPath else { return nil }
    var words = [UInt64](repeating: 0, count: Self.words)
    (words[0], words[1]) = (Self.magic, Self.version)
    words.replaceSubrange(4..<4 + DatabaseIdentity.count, with: identity.words)
    (words[12], words[13]) = (UInt64(source.number), UInt64(bitPattern: date))
    words[14] = UInt64(layout.answersEnd)
    (words[15], words[16]) = (UInt64(layout.ipv4.count), UInt64(layout.ipv6.count))
    words[17] = UInt64(path.count)
    unsafe words.withUnsafeMutableBytes { buffer in
      for index in path.indices { unsafe buffer[Self.pathPlace * 8 + index] = path[index] }
    }
    words.replaceSubrange(Self.sumsPlace..., with: sums)
    words[2] = Checksum.of(words.span)
    return unsafe words.withUnsafeBytes { unsafe Array($0) }
  }
}

extension CompiledHeader {
  /// Decodes a header; `nil` if it is damaged, or has another format or file length.
  init?(_ bytes: [UInt8], fileSize: Int) {
    guard bytes.count == CompiledLayout.headerSize else { return nil }
    let raw = unsafe bytes.span.bytes
    var words = (0..<Self.words).map { index in
      unsafe raw.unsafeLoadUnaligned(fromByteOffset: index * 8, as: UInt64.self)
    }
    let sum = words[2]
    words[2] = 0
    guard words[0] == Self.magic, words[1] == Self.version, Checksum.of(words.span) == sum,
      let source = Source(number: words[12]),
      let answersEnd = Int(exactly: words[14]), let ipv4 = Int(exactly: words[15]),
      let ipv6 = Int(exactly: words[16]), words[17] <= Self.maximumPath,
      let layout = CompiledLayout(answersEnd: answersEnd, ipv4: ipv4, ipv6: ipv6),
      layout.size == fileSize
    else { return nil }
    identity = DatabaseIdentity(words: Array(words[4..<4 + DatabaseIdentity.count]))
    self.source = source
    date = Int64(bitPattern: words[13])
    let start = Self.pathPlace * 8
    path = String(decoding: bytes[start..<start + Int(words[17])], as: UTF8.self)
    self.layout = layout
    sums = Array(words[Self.sumsPlace...])
  }
}
