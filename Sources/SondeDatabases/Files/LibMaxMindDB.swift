import CSondeMaxMindDB
import SondeSystem

/// libmaxminddb's functions, loaded when the first MMDB file is opened.
enum LibMaxMindDB {
  // Never written again once they are loaded; libmaxminddb(3), "THREAD SAFETY".
  private nonisolated(unsafe) static let loaded = unsafe Result {
    () throws(LibraryError) -> UnsafePointer<sonde_mmdb> in
    let library = DynamicLibrary("libmaxminddb.so.0", package: "libmaxminddb0")
    return unsafe try library.load(sonde_mmdb_names(), as: sonde_mmdb.self)
  }

  static func functions() throws(LibraryError) -> UnsafePointer<sonde_mmdb> {
    unsafe try loaded.get()
  }
}
