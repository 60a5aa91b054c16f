internal import CSondeCrypto
import SondeSystem

/// libssl's functions, with those of libcrypto that it depends on; loaded with the first TLS
/// connection.
enum LibSSL {
  // Never written after loading; each function is used by the only owner of its connection.
  private nonisolated(unsafe) static let loaded = unsafe Result {
    () throws(LibraryError) -> UnsafePointer<sonde_tls> in
    let library = DynamicLibrary("libssl.so.3", package: "libssl3")
    return unsafe try library.load(sonde_tls_names(), as: sonde_tls.self)
  }

  /// Returns the functions; fails if libssl cannot be loaded.
  static func functions() throws(RedisError) -> UnsafePointer<sonde_tls> {
    do throws(LibraryError) {
      return unsafe try loaded.get()
    } catch {
      throw RedisError(.unusable, "\(error)")
    }
  }
}
