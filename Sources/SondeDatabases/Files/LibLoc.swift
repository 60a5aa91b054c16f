import CSondeLoc
import SondeSystem

/// libloc's functions, loaded when the first database of its format is opened.
enum LibLoc {
  // Never written again once they are loaded; how they may be called stands at `LibLocDatabase`.
  private nonisolated(unsafe) static let loaded = unsafe Result {
    () throws(LibraryError) -> UnsafePointer<sonde_loc> in
    let library = DynamicLibrary("libloc.so.1", package: "libloc1")
    return unsafe try library.load(sonde_loc_names(), as: sonde_loc.self)
  }

  static func functions() throws(LibraryError) -> UnsafePointer<sonde_loc> {
    unsafe try loaded.get()
  }
}
