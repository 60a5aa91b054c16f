import CSondeSodium

/// A keyed cryptographic hash: BLAKE2b with 32 bytes of key and of result (RFC 7693), by libsodium.
///
/// Whoever has a hash but not the key cannot tell what was hashed, however few possibilities there
/// are; nor can a hash be made without the key.
public struct KeyedHash: Sendable {
  /// The bytes of a key.
  public static let keyLength = Int(crypto_generichash_KEYBYTES)

  private let key: [UInt8]

  /// Makes a hash of a key.
  /// - Returns: `nil` where it has another length than ``keyLength``.
  public init?(key: [UInt8]) {
    guard key.count == Self.keyLength else { return nil }
    self.key = key
  }

  /// A key that nobody else has.
  public static func randomKey() -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<keyLength).map { _ in .random(in: 0...255, using: &generator) }
  }

  /// The hash of some bytes.
  public func hash(_ bytes: [UInt8]) -> [UInt8] {
    // Idempotent and safe on any thread; before it, slower code would do the same.
    _ = sodium_init()
    var hash = [UInt8](repeating: 0, count: Int(crypto_generichash_BYTES))
    // It fails only for lengths out of range.
    unsafe crypto_generichash(
      &hash,
      hash.count,
      bytes,
      UInt64(bytes.count),
      key,
      key.count
    )
    return hash
  }
}
