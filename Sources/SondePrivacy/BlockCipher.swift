internal import CSondeCrypto
import SondeSystem

/// AES-128 on blocks that are independent of each other (FIPS 197, SP 800-38A §6.1), by libcrypto.
@safe
struct BlockCipher: ~Copyable {
  // Owned; used by one thread at a time, as `EVP_EncryptInit(3)` requires.
  private let context: OpaquePointer
  private let functions: UnsafePointer<sonde_crypto>

  /// Creates a cipher with a key of 16 bytes; `nil` without memory.
  ///
  /// Throws ``LibraryError`` if libcrypto cannot be loaded.
  init?(key: ArraySlice<UInt8>) throws(LibraryError) {
    precondition(key.count == 16, "AES-128 takes keys of 16 bytes")
    let functions = unsafe try LibCrypto.functions()
    guard let context = unsafe functions.pointee.EVP_CIPHER_CTX_new() else { return nil }
    let isReady = unsafe key.withUnsafeBufferPointer { key in
      unsafe functions.pointee.EVP_EncryptInit_ex(
        context,
        functions.pointee.EVP_aes_128_ecb(),
        nil,
        key.baseAddress,
        nil
      ) == 1
    }
    guard isReady, unsafe functions.pointee.EVP_CIPHER_CTX_set_padding(context, 0) == 1 else {
      unsafe functions.pointee.EVP_CIPHER_CTX_free(context)
      return nil
    }
    unsafe (self.context, self.functions) = (context, functions)
  }

  deinit { unsafe functions.pointee.EVP_CIPHER_CTX_free(context) }

  /// Encrypts the first blocks, each 16 bytes in memory order, into the same places of `output`.
  mutating func encrypt(_ input: [UInt128], count: Int, into output: inout [UInt128]) {
    precondition(count <= input.count && count <= output.count && count <= 1 << 20)
    let size = Int32(count * 16)
    var written: Int32 = 0
    let code = unsafe input.withUnsafeBytes { input in
      unsafe output.withUnsafeMutableBytes { output in
        unsafe functions.pointee.EVP_EncryptUpdate(
          context,
          output.bindMemory(to: UInt8.self).baseAddress,
          &written,
          input.bindMemory(to: UInt8.self).baseAddress,
          size
        )
      }
    }
    // Whole blocks without padding cannot fail; unencrypted addresses must never go out.
    precondition(code == 1 && written == size, "AES-128 failed")
  }
}
