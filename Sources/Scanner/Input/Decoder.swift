/// How a compressed input is packed, told by its first bytes.
enum Compression: CaseIterable {
  /// RFC 1952.
  case gzip
  /// RFC 8878.
  case zstd
  /// https://tukaani.org/xz/xz-file-format.txt
  case xz

  /// The bytes that such a file begins with.
  private var magic: [UInt8] {
    switch self {
    case .gzip: [0x1f, 0x8b]
    case .zstd: [0x28, 0xb5, 0x2f, 0xfd]
    case .xz: [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]
    }
  }

  /// What the first bytes of an input say of it.
  enum Verdict: Equatable {
    case plain
    case compressed(Compression)
    /// The bytes begin like a compressed file, but are too few to tell.
    case undecided
  }

  /// Judges an input by the bytes that it begins with.
  static func judge(_ bytes: [UInt8]) -> Verdict {
    for format in allCases where bytes.starts(with: format.magic) { return .compressed(format) }
    let mayBegin = allCases.contains { $0.magic.starts(with: bytes) }
    return mayBegin ? .undecided : .plain
  }

  /// A decoder for one input.
  func decoder() throws(DecodingFailure) -> any Decoder {
    switch self {
    case .gzip: try GzipDecoder()
    case .zstd: try ZstdDecoder()
    case .xz: try XZDecoder()
    }
  }
}

/// Unpacks a compressed input piece by piece.
protocol Decoder: AnyObject {
  /// Whether what has been taken so far is whole.
  var isComplete: Bool { get }

  /// Takes packed bytes and fills room with unpacked ones.
  ///
  /// - Parameters:
  ///   - input: Packed bytes; what is not taken is given again, and none at all means the end.
  ///   - output: The room for unpacked bytes.
  /// - Returns: How many packed bytes were taken, and how many unpacked ones given.
  /// - Throws: ``DecodingFailure`` when the input is damaged.
  func decode(
    _ input: UnsafeBufferPointer<UInt8>,
    into output: UnsafeMutableBufferPointer<UInt8>
  ) throws(DecodingFailure) -> (taken: Int, given: Int)
}

/// Why a compressed input could not be unpacked to its end.
struct DecodingFailure: Error, Equatable {
  /// The reason, for a person.
  let reason: String

  /// The input ends in the middle of its packed data.
  static let cutShort = DecodingFailure(reason: "the compressed data is cut short")

  /// The packed data is not as its format wants it.
  static func damaged(_ format: String, _ detail: String) -> DecodingFailure {
    DecodingFailure(reason: "damaged \(format) data (\(detail))")
  }
}
