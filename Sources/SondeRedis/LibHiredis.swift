import CSondeHiredis
import SondeSystem

/// hiredis's functions used in `Sources/CSondeHiredis/shim.h`, loaded with the first connection.
enum LibHiredis {
  // Never written after loading; each function is used by the only owner of its connection.
  private nonisolated(unsafe) static let loaded = unsafe Result {
    () throws(LibraryError) -> UnsafePointer<sonde_redis> in
    // That of the headers, Debian 12's or 13's: the structures of the two differ.
    let library =
      HIREDIS_MAJOR == 0
      ? DynamicLibrary("libhiredis.so.0.14", package: "libhiredis0.14")
      : DynamicLibrary("libhiredis.so.1.1.0", package: "libhiredis1.1.0")
    return unsafe try library.load(sonde_redis_names(), as: sonde_redis.self)
  }

  /// Returns the functions; fails if hiredis cannot be loaded.
  static func functions() throws(RedisError) -> UnsafePointer<sonde_redis> {
    do throws(LibraryError) {
      return unsafe try loaded.get()
    } catch {
      throw RedisError(.unusable, "\(error)")
    }
  }
}
