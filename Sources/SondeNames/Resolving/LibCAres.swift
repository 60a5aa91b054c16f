internal import CSondeAres
import SondeSystem

/// c-ares's functions, loaded with the first resolver.
enum LibCAres {
  // Never written after loading; each function is called by the one thread that owns its
  // channel.
  private nonisolated(unsafe) static let loaded = unsafe Result {
    () throws(LibraryError) -> UnsafePointer<sonde_ares> in
    let library = DynamicLibrary("libcares.so.2", package: "libc-ares2")
    return unsafe try library.load(sonde_ares_names(), as: sonde_ares.self)
  }

  /// Whether `ares_library_init(3)`, called once per process, has succeeded.
  private static let isStarted =
    unsafe (try? loaded.get())?.pointee.ares_library_init(ARES_LIB_INIT_ALL) == sonde_ares_success

  /// Returns the initialised functions; fails if c-ares cannot be loaded or started.
  static func functions() throws(NameError) -> UnsafePointer<sonde_ares> {
    switch unsafe loaded {
    case .success(let functions):
      guard isStarted else { throw NameError("c-ares could not be started") }
      return unsafe functions
    case .failure(let error): throw NameError("\(error)")
    }
  }
}
