import CSondeSodium

/// A password, or the secret text of a link, a session or a token.
///
/// No description, dump or error shows it, and its bytes are erased with the last reference to it.
/// This does not apply to strings that it is created from or converted to.
@safe
public final class Secret: Sendable {
  // Never written after init.
  private nonisolated(unsafe) let start: UnsafeMutableRawPointer

  /// The number of bytes.
  public let count: Int

  /// Copies bytes.
  public init(_ bytes: Span<UInt8>) {
    count = bytes.count
    unsafe start = .allocate(byteCount: max(1, count), alignment: 1)
    unsafe bytes.withUnsafeBytes { source in
      if let first = source.baseAddress {
        unsafe start.copyMemory(from: first, byteCount: source.count)
      }
    }
  }

  /// Copies the UTF-8 of a text.
  public convenience init(_ text: String) { self.init(text.utf8Span.span) }

  deinit {
    unsafe sodium_memzero(start, count)
    unsafe start.deallocate()
  }

  /// The text, for the only function that sends it to its owner.
  public var text: String {
    unsafe String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
  }

  /// Passes the bytes to a C function.
  func withBytes<R>(_ body: (UnsafeRawPointer) -> R) -> R { unsafe body(start) }
}

extension Secret {
  /// A prefix, and a secret of 256 random bits as lower-case hexadecimal digits.
  static func random(prefix: String = "") -> Secret { Secret(prefix + randomDigits(bytes: 32)) }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// A fixed text that reveals nothing of the secret.
  public var description: String { "a secret" }

  /// A fixed text that reveals nothing of the secret.
  public var debugDescription: String { description }

  /// An empty mirror.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Unpredictable random bytes as lower-case hexadecimal digits.
func randomDigits(bytes count: Int) -> String {
  var generator = SystemRandomNumberGenerator()
  return (0..<count).reduce(into: "") { text, _ in
    let byte = UInt8.random(in: 0...255, using: &generator)
    text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }
}

/// The BLAKE2b hash (RFC 7693) by which a secret of 256 random bits is recognised without storing
/// it.
///
/// That much randomness cannot be guessed, so neither a salt nor a slow hash is needed.
struct Fingerprint: Hashable {
  let bytes: [UInt8]

  init(_ secret: Secret) {
    var hash = [UInt8](repeating: 0, count: Int(crypto_generichash_BYTES))
    unsafe secret.withBytes { bytes in
      let start = unsafe bytes.assumingMemoryBound(to: UInt8.self)
      // It fails only for invalid lengths.
      _ = unsafe crypto_generichash(&hash, hash.count, start, UInt64(secret.count), nil, 0)
    }
    bytes = hash
  }
}
