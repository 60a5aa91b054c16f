/// Decodes the bytes of an input step by step.
protocol Decoder: AnyObject {
  /// Whether the input so far is complete.
  var isComplete: Bool { get }

  /// Decodes bytes into a buffer; returns how many bytes were consumed and written.
  ///
  /// Unconsumed bytes are passed again; empty input means the end. Throws if the input is damaged.
  func decode(
    _ input: UnsafeBufferPointer<UInt8>,
    into output: UnsafeMutableBufferPointer<UInt8>
  ) throws(DecoderError) -> (taken: Int, given: Int)
}

/// The reason why an input could not be decoded completely.
struct DecoderError: Error, Equatable {
  /// The reason, for people.
  let reason: String

  /// Whether the complete text was decoded before.
  var isBehindText = false

  static let cutShort = DecoderError(reason: "the compressed data is cut short")

  /// The input ends within a UTF-16 character.
  static let halfCharacter = DecoderError(reason: "the UTF-16 text is cut short")

  static let outOfMemory = DecoderError(reason: "out of memory")

  static func damaged(_ format: Compression, _ detail: String) -> DecoderError {
    DecoderError(reason: "damaged \(format.rawValue) data (\(detail))")
  }

  /// The complete compressed data is followed by other data, which is not read.
  static func garbage(behind format: Compression) -> DecoderError {
    DecoderError(
      reason: "what follows the \(format.rawValue) data is not \(format.rawValue), and is not read",
      isBehindText: true
    )
  }

  /// The compressed data is valid, but requires more memory than ``UnpackingLimit`` permits.
  ///
  /// `memory` names its kind, like `window`, and `command` one that can decompress the data.
  static func needsLarge(_ memory: String, unpackedBy command: String) -> DecoderError {
    DecoderError(
      reason: "needs a \(memory) of more than \(UnpackingLimit.window >> 20) MiB, "
        + "which is not read: unpack it with \(command) first"
    )
  }
}

/// The limits of memory for decompressing one input.
enum UnpackingLimit {
  /// The largest window of zstd and dictionary of xz, in bytes, like the default limit of zstd(1).
  static let window: UInt64 = 128 << 20

  /// The largest additional memory of liblzma, in bytes.
  static let overhead: UInt64 = 1 << 20
}
