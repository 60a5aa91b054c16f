import CSondeLoc
import SondeSystem

/// libloc's functions, loaded with the first database in its format.
enum LibLoc {
  // Never written after loading; `LibLocDatabase` documents how they may be called.
  private nonisolated(unsafe) static let loaded = unsafe Result {
    () throws(LibraryError) -> UnsafePointer<sonde_loc> in
    let library = DynamicLibrary("libloc.so.1", package: "libloc1")
    return unsafe try library.load(sonde_loc_names(), as: sonde_loc.self)
  }

  static func functions() throws(LibraryError) -> UnsafePointer<sonde_loc> {
    unsafe try loaded.get()
  }
}
