import SondeSystem

/// The form of an answer on a server: the times when it was saved (by the server's clock) and
/// given, the answer and a checksum.
enum SharedAnswer {
  /// Encodes an answer given in seconds since 1970 UTC, and saved by the server's clock.
  static func bytes(_ answer: Span<UInt8>, given: Int64, saved: Duration) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(number: saved.components.seconds)
    bytes.append(number: given)
    bytes.append(copying: answer)
    bytes.append(number: Int64(bitPattern: Checksum.of(bytes.span)))
    return bytes
  }

  /// The range of an answer's time in seconds; lifetimes fit into as many milliseconds.
  private static let moments: Range<Int64> = 0..<4_102_444_800

  /// The position of the answer in the bytes, and its times in seconds; `nil` if they are damaged.
  static func read(_ bytes: [UInt8]) -> (range: Range<Int>, given: Int64, saved: Int64)? {
    guard bytes.count >= 24 else { return nil }
    let range = 16..<bytes.count - 8
    let sum: UInt64 = bytes.span.number(at: range.upperBound)
    guard sum == Checksum.of(bytes.span.extracting(0..<range.upperBound)) else { return nil }
    let (given, saved): (Int64, Int64) = (bytes.span.number(at: 8), bytes.span.number(at: 0))
    // Damaged data may still have a correct checksum.
    guard moments.contains(given), moments.contains(saved) else { return nil }
    return (range, given, saved)
  }
}

extension AnswerScope {
  /// The number of the scope, equal on all machines.
  var sharedNumber: Int64 { Int64(bitPattern: Checksum.of(sharedText.span)) }

  /// The text of the scope on a server: its parts, none of which contains a line feed.
  var sharedText: [UInt8] {
    let texts = [provider, endpoint, account, language, String(fields)]
    return Array(texts.map { $0.filter { $0 != "\n" } }.joined(separator: "\n").utf8)
  }

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
