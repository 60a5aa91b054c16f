import CSondeHiredis
import SondeSystem

/// hiredis's functions used in `Sources/CSondeHiredis/shim.h`, loaded with the first connection.
enum LibHiredis {
  // Never written after loading; each function is used by the only owner of its connection.
  private nonisolated(unsafe) static let loaded = unsafe Result {
    () throws(LibraryError) -> UnsafePointer<sonde_redis> in
    let library = DynamicLibrary(SONDE_HIREDIS_LIBRARY, package: SONDE_HIREDIS_PACKAGE)
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
