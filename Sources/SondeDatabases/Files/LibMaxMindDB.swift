import CSondeMaxMindDB
import SondeSystem

/// libmaxminddb's functions, loaded with the first MMDB file.
enum LibMaxMindDB {
  // Never written after loading; libmaxminddb(3), "THREAD SAFETY".
  private nonisolated(unsafe) static let loaded = unsafe Result {
    () throws(LibraryError) -> UnsafePointer<sonde_mmdb> in
    let library = DynamicLibrary("libmaxminddb.so.0", package: "libmaxminddb0")
    return unsafe try library.load(sonde_mmdb_names(), as: sonde_mmdb.self)
  }

  static func functions() throws(LibraryError) -> UnsafePointer<sonde_mmdb> {
    unsafe try loaded.get()
  }
}
