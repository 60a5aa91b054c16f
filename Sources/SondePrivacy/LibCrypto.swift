internal import CSondeCrypto
import SondeSystem

/// libcrypto's functions, loaded with the first key.
enum LibCrypto {
  // Never written after loading; a cipher's context is used by one thread at a time.
  private nonisolated(unsafe) static let loaded = unsafe Result {
    () throws(LibraryError) -> UnsafePointer<sonde_crypto> in
    let library = DynamicLibrary("libcrypto.so.3", package: "libssl3")
    return unsafe try library.load(sonde_crypto_names(), as: sonde_crypto.self)
  }

  static func functions() throws(LibraryError) -> UnsafePointer<sonde_crypto> {
    unsafe try loaded.get()
  }
}
