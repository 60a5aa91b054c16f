import CSondeBzip2
import SondeSystem

/// bzip2's functions, loaded with the first input in that format.
enum LibBzip2 {
  // Never written after loading; each function is used by the only owner of its stream.
  private nonisolated(unsafe) static let loaded = unsafe Result {
    () throws(LibraryError) -> UnsafePointer<sonde_bzip2> in
    let library = DynamicLibrary("libbz2.so.1.0", package: "libbz2-1.0")
    return unsafe try library.load(sonde_bzip2_names(), as: sonde_bzip2.self)
  }

  /// Returns the functions; throws if bzip2 cannot be loaded.
  static func functions() throws(DecoderError) -> UnsafePointer<sonde_bzip2> {
    do throws(LibraryError) {
      return unsafe try loaded.get()
    } catch {
      throw DecoderError(reason: "\(error)")
    }
  }
}
