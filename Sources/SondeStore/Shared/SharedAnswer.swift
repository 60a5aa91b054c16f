import SondeSystem

/// An answer as it lies on a server: when it was saved by the server's clock, when it was given, the
/// answer and a checksum.
enum SharedAnswer {
  /// The answer as it is written.
  ///
  /// - Parameters:
  ///   - answer: The answer, encoded.
  ///   - given: When it was given, in seconds since 1970 UTC.
  ///   - saved: When it was saved, by the server's clock.
  /// - Returns: The bytes.
  static func bytes(_ answer: Span<UInt8>, given: Int64, saved: Duration) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(number: saved.components.seconds)
    bytes.append(number: given)
    bytes.append(copying: answer)
    bytes.append(number: Int64(bitPattern: Checksum.of(bytes.span)))
    return bytes
  }

  /// The seconds in which an answer can have been given; no lifetime has more milliseconds.
  private static let moments: Range<Int64> = 0..<4_102_444_800

  /// Where the answer lies in the bytes, and its times in seconds; `nil` where they are not as written.
  static func read(_ bytes: [UInt8]) -> (range: Range<Int>, given: Int64, saved: Int64)? {
    guard bytes.count >= 24 else { return nil }
    let range = 16..<bytes.count - 8
    let sum: UInt64 = bytes.span.number(at: range.upperBound)
    guard sum == Checksum.of(bytes.span.extracting(0..<range.upperBound)) else { return nil }
    let (given, saved): (Int64, Int64) = (bytes.span.number(at: 8), bytes.span.number(at: 0))
    // What is not as written may still have a checksum that is right.
    guard moments.contains(given), moments.contains(saved) else { return nil }
    return (range, given, saved)
  }
}

extension AnswerScope {
  /// What tells it from other scopes, on every machine.
  var sharedNumber: Int64 { Int64(bitPattern: Checksum.of(sharedText.span)) }

  /// The scope as it is written on a server: its parts, none of which holds a line feed.
  var sharedText: [UInt8] {
    let texts = [provider, endpoint, account, language, String(fields)]
    return Array(texts.map { $0.filter { $0 != "\n" } }.joined(separator: "\n").utf8)
  }

  /// Reads a scope; `nil` where it is none.
  init?(sharedText: [UInt8]) {
    let texts = String(decoding: sharedText, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard texts.count == 5, let fields = Int(texts[4]) else { return nil }
    self.init(
      provider: texts[0],
      endpoint: texts[1],
      account: texts[2],
      language: texts[3],
      fields: fields
    )
  }
}
