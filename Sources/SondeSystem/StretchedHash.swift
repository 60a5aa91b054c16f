import CSondeSodium

/// A hash that is expensive, so that guessing its input is slow: Argon2id (RFC 9106), by libsodium.
///
/// The salt has 16 bytes, the hash 32; the same salt gives the same hash, on every machine. `nil`
/// if memory is short or the salt has another length.
public func stretchedHash(of secret: [UInt8], salt: [UInt8]) -> [UInt8]? {
  // The minimum recommended by OWASP: two passes over 19 MiB.
  let (passes, memory) = (UInt64(2), 19 << 20)
  guard salt.count == Int(crypto_pwhash_SALTBYTES), sodium_init() >= 0 else { return nil }
  var hash = [UInt8](repeating: 0, count: 32)
  let text = secret.map { CChar(bitPattern: $0) }
  let code = unsafe crypto_pwhash(
    &hash,
    UInt64(hash.count),
    text,
    UInt64(text.count),
    salt,
    passes,
    memory,
    crypto_pwhash_alg_argon2id13()
  )
  return code == 0 ? hash : nil
}
