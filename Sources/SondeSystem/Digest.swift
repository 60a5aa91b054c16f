import CSondeSodium

/// The SHA-256 of some bytes (FIPS 180-4) in base64 (RFC 4648 §4), as used by a
/// Content-Security-Policy.
public func sha256InBase64(_ bytes: [UInt8]) -> String {
  var digest = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
  // It cannot fail.
  _ = unsafe crypto_hash_sha256(&digest, bytes, UInt64(bytes.count))
  return base64(digest)
}

/// Bytes in base64 with padding (RFC 4648 §4).
public func base64(_ bytes: [UInt8]) -> String {
  let variant = sodium_base64_VARIANT_ORIGINAL
  var text = [CChar](repeating: 0, count: sodium_base64_encoded_len(bytes.count, variant))
  _ = unsafe sodium_bin2base64(&text, text.count, bytes, bytes.count, variant)
  return String(decoding: text.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
}
