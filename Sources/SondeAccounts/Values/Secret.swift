import CSondeSodium

/// What only its holder may know: a password, or the text of a link, a session or a token.
///
/// It shows in no description, dump or error, and its bytes are cleared from memory with the last
/// reference to it. Of the texts that it was made of and that it is read as, others must take care.
@safe
public final class Secret: Sendable {
  // Never written after init.
  private nonisolated(unsafe) let start: UnsafeMutableRawPointer

  /// The number of its bytes.
  public let count: Int

  /// Takes bytes, whatever they are.
  public init(_ bytes: Span<UInt8>) {
    count = bytes.count
    unsafe start = .allocate(byteCount: max(1, count), alignment: 1)
    unsafe bytes.withUnsafeBytes { source in
      if let first = source.baseAddress {
        unsafe start.copyMemory(from: first, byteCount: source.count)
      }
    }
  }

  /// Takes the UTF-8 of a text.
  public convenience init(_ text: String) { self.init(text.utf8Span.span) }

  deinit {
    unsafe sodium_memzero(start, count)
    unsafe start.deallocate()
  }

  /// Its text, for the one place that hands it out.
  public var text: String {
    unsafe String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
  }

  /// Lends its bytes to a function of C.
  func withBytes<R>(_ body: (UnsafeRawPointer) -> R) -> R { unsafe body(start) }
}

extension Secret {
  /// A secret of 256 random bits, as lower-case hexadecimal digits.
  ///
  /// - Parameter prefix: What stands before the digits.
  /// - Returns: The secret.
  static func random(prefix: String = "") -> Secret { Secret(prefix + randomDigits(bytes: 32)) }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Says what it is, and nothing of what is in it.
  public var description: String { "a secret" }

  /// The same.
  public var debugDescription: String { description }

  /// Shows nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Random bytes that nobody can guess, as lower-case hexadecimal digits.
func randomDigits(bytes count: Int) -> String {
  var generator = SystemRandomNumberGenerator()
  return (0..<count).reduce(into: "") { text, _ in
    let byte = UInt8.random(in: 0...255, using: &generator)
    text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }
}
