import CSondeSodium
import Glibc

/// A stored password: Argon2id (RFC 9106) with its salt and costs, as text.
struct PasswordHash: Equatable, Sendable {
  /// The cost of a hash.
  struct Cost: Sendable {
    /// The number of passes over the memory.
    let passes: UInt64
    /// In bytes.
    let memory: Int

    /// libsodium's limits for interactive use: about 90 ms and 64 MiB.
    static let interactive = Cost(
      passes: UInt64(crypto_pwhash_argon2id_OPSLIMIT_INTERACTIVE),
      memory: Int(crypto_pwhash_argon2id_MEMLIMIT_INTERACTIVE)
    )

    /// The lowest cost, for tests of other parts.
    static let least = Cost(
      passes: UInt64(crypto_pwhash_argon2id_OPSLIMIT_MIN),
      memory: Int(crypto_pwhash_argon2id_MEMLIMIT_MIN)
    )
  }

  /// The permitted lengths of a new password in bytes.
  private static let lengths = 10...1024

  /// `$argon2id$…`.
  let text: String

  init(kept text: String) { self.text = text }

  /// Hashes a password, which takes as long as the cost implies.
  ///
  /// - Throws: ``AccountError/storage(reason:isDiskFull:)`` if memory is short.
  init(_ password: Secret, _ cost: Cost) throws(AccountError) {
    var text = [CChar](repeating: 0, count: Int(crypto_pwhash_argon2id_STRBYTES))
    let code = unsafe password.withBytes { bytes in
      unsafe crypto_pwhash_argon2id_str(
        &text,
        bytes.assumingMemoryBound(to: CChar.self),
        UInt64(password.count),
        cost.passes,
        cost.memory
      )
    }
    guard code == 0 else { throw Self.memoryIsShort }
    let bytes = text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
    self.text = String(decoding: bytes, as: UTF8.self)
  }

  /// Ensures that a new password of an account is permitted.
  static func check(_ password: Secret, of email: Email) throws(AccountError) {
    try checkLength(of: password)
    guard !CommonPassword.contains(password.text, of: email) else { throw .commonPassword }
  }

  /// Ensures that a new password has a permitted length.
  static func checkLength(of password: Secret) throws(AccountError) {
    guard lengths.contains(password.count) else { throw .invalidPassword }
  }

  /// Whether this is the hash of a password; takes as long as the cost implies.
  ///
  /// - Throws: ``AccountError/storage(reason:isDiskFull:)`` if memory is short, or the text is not
  ///   a hash.
  func fits(_ password: Secret) throws(AccountError) -> Bool {
    errno = 0
    let code = unsafe password.withBytes { bytes in
      unsafe crypto_pwhash_argon2id_str_verify(
        text,
        bytes.assumingMemoryBound(to: CChar.self),
        UInt64(password.count)
      )
    }
    if code == 0 { return true }
    // This error means a wrong password.
    guard errno == EINVAL else { throw Self.memoryIsShort }
    return false
  }

  private static var memoryIsShort: AccountError {
    .storage(reason: "a password cannot be hashed: memory is short", isDiskFull: false)
  }
}

extension PasswordHash {
  /// A hash that no password matches, and that costs as much to compare as any other.
  static func ofNothing(_ cost: Cost) -> PasswordHash {
    let (salt, hash) = (random(16), random(32))
    return PasswordHash(
      kept: "$argon2id$v=19$m=\(cost.memory / 1024),t=\(cost.passes),p=1$\(salt)$\(hash)"
    )
  }

  /// Random bytes in base64 without padding (RFC 4648 §4).
  private static func random(_ count: Int) -> String {
    let variant = sodium_base64_VARIANT_ORIGINAL_NO_PADDING
    var bytes = [UInt8](repeating: 0, count: count)
    unsafe randombytes_buf(&bytes, count)
    var text = [CChar](repeating: 0, count: sodium_base64_encoded_len(count, variant))
    _ = unsafe sodium_bin2base64(&text, text.count, bytes, count, variant)
    return String(decoding: text.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
