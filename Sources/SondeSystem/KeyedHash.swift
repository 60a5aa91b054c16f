import CSondeSodium

/// A keyed cryptographic hash: BLAKE2b with 32 bytes of key and of result (RFC 7693), by libsodium.
///
/// Without the key, a hash reveals nothing about its input, even if that has few possible values,
/// and cannot be computed.
public struct KeyedHash: Sendable {
  /// The length of a key in bytes.
  public static let keyLength = Int(crypto_generichash_KEYBYTES)

  private let key: [UInt8]

  /// Creates a hash with a key; `nil` if its length is not ``keyLength``.
  public init?(key: [UInt8]) {
    guard key.count == Self.keyLength else { return nil }
    self.key = key
  }

  /// A new random key.
  public static func randomKey() -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<keyLength).map { _ in .random(in: 0...255, using: &generator) }
  }

  /// The hash of some bytes.
  public func hash(_ bytes: [UInt8]) -> [UInt8] {
    // Idempotent and thread-safe; without it, slower code would be used.
    _ = sodium_init()
    var hash = [UInt8](repeating: 0, count: Int(crypto_generichash_BYTES))
    // It fails only for invalid lengths.
    unsafe crypto_generichash(&hash, hash.count, bytes, UInt64(bytes.count), key, key.count)
    return hash
  }
}
