import CSondeSodium

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
