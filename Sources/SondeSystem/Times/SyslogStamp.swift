/// A time of syslog without a year and what follows it, which many lines share.
struct SyslogStamp {
  /// The number of bytes that are compared: a time of 15, and what decides whether it ends there.
  private static let length = 24
  /// The usual length of a time; a longer one is not kept.
  private static let usual = 15

  private var bytes: (UInt64, UInt64, UInt64)?
  /// In milliseconds since 1970 UTC.
  private(set) var time: Int64 = 0

  /// Creates one that stands nowhere.
  init() {}

  /// Creates the one at a position, which is `time` in milliseconds since 1970 UTC.
  init(in text: Span<UInt8>, at position: Int, _ end: Int, _ found: FoundTime, is time: Int64) {
    guard found.end == position &+ Self.usual, position &+ Self.length <= end else { return }
    bytes = Self.bytes(of: text, at: position)
    self.time = time
  }

  /// Whether the same stands at a position.
  @inline(__always)
  func stands(in text: Span<UInt8>, at position: Int, _ end: Int) -> Bool {
    guard let bytes, position &+ Self.length <= end else { return false }
    return Self.bytes(of: text, at: position) == bytes
  }

  /// The position behind the one at a position.
  func end(at position: Int) -> Int { position &+ Self.usual }

  @inline(__always)
  private static func bytes(of text: Span<UInt8>, at position: Int) -> (UInt64, UInt64, UInt64) {
    (
      word(of: text, at: position), word(of: text, at: position &+ 8),
      word(of: text, at: position &+ 16)
    )
  }

  @inline(__always)
  private static func word(of text: Span<UInt8>, at position: Int) -> UInt64 {
    let bytes = unsafe text.bytes
    return unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: position, as: UInt64.self)
  }
}
