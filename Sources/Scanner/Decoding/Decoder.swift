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

  /// The packed data is sound, but more memory is needed than there is or than is allowed.
  static func needsMemory(_ bytes: UInt64, _ format: Compression) -> DecoderError {
    let size = (bytes + (1 << 20) - 1) >> 20
    return DecoderError(
      reason: "needs \(size) MiB of memory to be unpacked (\(format.rawValue)), which is too much"
    )
  }
}
