import CSondeHiredis
import SondeSystem

/// hiredis's functions, those that `Sources/CSondeHiredis/shim.h` names, loaded when the first connection is
/// made.
enum LibHiredis {
  // Never written again once they are loaded; each is used by the one owner of its connection.
  private nonisolated(unsafe) static let loaded = unsafe Result {
    () throws(LibraryError) -> UnsafePointer<sonde_redis> in
    let library = DynamicLibrary("libhiredis.so.0.14", package: "libhiredis0.14")
    return unsafe try library.load(sonde_redis_names(), as: sonde_redis.self)
  }

  /// The functions.
  ///
  /// - Throws: ``RedisError`` where hiredis cannot be loaded.
  static func functions() throws(RedisError) -> UnsafePointer<sonde_redis> {
    do throws(LibraryError) {
      return unsafe try loaded.get()
    } catch {
      throw RedisError(.unusable, "\(error)")
    }
  }
}
