/// The compression of an input.
package enum Compression: String, CaseIterable {
  /// RFC 1952.
  case gzip
  /// RFC 8878.
  case zstd
  /// https://tukaani.org/xz/xz-file-format.txt
  case xz
  /// https://sourceware.org/bzip2/
  case bzip2

  /// The first bytes of such a file.
  var signatures: [Signature] {
    switch self {
    case .gzip: [Signature([0x1f, 0x8b, 0x08])]
    case .zstd:
      // A skippable frame may come first (RFC 8878 §3.1.2), as written by pzstd.
      [
        Signature([0x28, 0xb5, 0x2f, 0xfd]), Signature([0x50, 0x2a, 0x4d, 0x18], masks: [0: 0xf0]),
      ]
    case .xz: [Signature([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00])]
    case .bzip2:
      // `BZh`, the block size, and the start of a block or the end (digits of pi or its root).
      [
        Signature([0x42, 0x5a, 0x68, 0x30, 0x31, 0x41, 0x59, 0x26, 0x53, 0x59], masks: [3: 0xf0]),
        Signature([0x42, 0x5a, 0x68, 0x30, 0x17, 0x72, 0x45, 0x38, 0x50, 0x90], masks: [3: 0xf0]),
      ]
    }
  }
}
