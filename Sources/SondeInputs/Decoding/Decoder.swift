/// Turns the bytes of an input into those that they stand for, step by step.
protocol Decoder: AnyObject {
  /// Whether what has been taken so far is whole.
  var isComplete: Bool { get }

  /// Takes encoded bytes and fills room with decoded ones.
  ///
  /// - Parameters:
  ///   - input: Encoded bytes; what is not taken is given again, and none at all means the end.
  ///   - output: The room for decoded bytes.
  /// - Returns: How many encoded bytes were taken, and how many decoded ones given.
  /// - Throws: ``DecoderError`` when the input is damaged.
  func decode(
    _ input: UnsafeBufferPointer<UInt8>,
    into output: UnsafeMutableBufferPointer<UInt8>
  ) throws(DecoderError) -> (taken: Int, given: Int)
}

/// Why an input could not be decoded to its end.
struct DecoderError: Error, Equatable {
  /// The reason, for a person.
  let reason: String

  /// Whether all of the text has been given before.
  var isBehindText = false

  /// The input ends in the middle of its packed data.
  static let cutShort = DecoderError(reason: "the compressed data is cut short")

  /// The input ends in the middle of a character of UTF-16.
  static let halfCharacter = DecoderError(reason: "the UTF-16 text is cut short")

  /// There is no memory to be had.
  static let outOfMemory = DecoderError(reason: "out of memory")

  /// The packed data is not as its format wants it.
  static func damaged(_ format: Compression, _ detail: String) -> DecoderError {
    DecoderError(reason: "damaged \(format.rawValue) data (\(detail))")
  }

  /// What stands behind whole packed data is not of its format, and not read.
  static func garbage(behind format: Compression) -> DecoderError {
    DecoderError(
      reason: "what follows the \(format.rawValue) data is not \(format.rawValue), and is not read",
      isBehindText: true
    )
  }

  /// The packed data is sound, but unpacking it needs more memory than ``UnpackingLimit`` allows.
  ///
  /// - Parameters:
  ///   - memory: What there must be so much of: `window`.
  ///   - command: The command that unpacks it nevertheless.
  /// - Returns: The error.
  static func needsLarge(_ memory: String, unpackedBy command: String) -> DecoderError {
    DecoderError(
      reason: "needs a \(memory) of more than \(UnpackingLimit.window >> 20) MiB, "
        + "which is not read: unpack it with \(command) first"
    )
  }
}

/// The memory that one packed input may ask for.
enum UnpackingLimit {
  /// The largest window of zstd and dictionary of xz, in bytes: what zstd(1) unpacks unasked.
  static let window: UInt64 = 128 << 20

  /// The most that liblzma needs besides a dictionary, in bytes.
  static let overhead: UInt64 = 1 << 20
}
